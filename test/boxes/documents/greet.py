def greet(name):
    """Says hello."""
    return f"Hello, {name}!"
