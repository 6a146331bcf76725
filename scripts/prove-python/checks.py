"""What the Python SDK of this process has to be able to do with assistants; prints a line of JSON for each check."""

import json
import os
import warnings
from concurrent.futures import ThreadPoolExecutor

# The SDK calls the Assistants API deprecated at each use.
warnings.simplefilter("ignore")

import openai
from openai import AssistantEventHandler, OpenAI

client = OpenAI(base_url=os.environ["SLUICE_URL"] + "/v1", api_key=os.environ["SLUICE_API_KEY"])
threads = client.beta.threads
WEATHER = {"type": "function", "function": {"name": "weather"}}


def assistant(tools=(), model="@mock/mock-1"):
    return client.beta.assistants.create(model=model, tools=list(tools)).id


def thread(content):
    return threads.create(messages=[{"role": "user", "content": content}]).id


def outputs(run):
    calls = run.required_action.submit_tool_outputs.tool_calls
    return [{"tool_call_id": call.id, "output": "Rain"} for call in calls]


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def same(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


def polled():
    """C1, C2, C25: a run is polled until it has answered"""
    thread_id = thread("Hello there")
    run = threads.runs.create_and_poll(thread_id=thread_id, assistant_id=assistant())
    same(run.status, "completed")
    newest = threads.messages.list(thread_id).data[0]
    same((newest.role, newest.run_id, newest.content[0].text.value), ("assistant", run.id, "Hello there"))


class Listener(AssistantEventHandler):
    def __init__(self):
        super().__init__()
        self.said = ""
        self.names = []

    def on_text_delta(self, delta, snapshot):
        self.said += delta.value or ""

    def on_event(self, event):
        self.names.append(event.event)


def streamed():
    """C3, C4: a stream says what the message has"""
    listener = Listener()
    with threads.runs.stream(
        thread_id=thread("One two three"), assistant_id=assistant(), event_handler=listener
    ) as stream:
        stream.until_done()
        same(stream.get_final_run().status, "completed")
        same(stream.get_final_messages()[0].content[0].text.value, "One two three")
    same(listener.said, "One two three")
    same((listener.names[0], listener.names[-1]), ("thread.run.created", "thread.run.completed"))


def functions():
    """C5, C6, C19: a run waits for the output of a function, goes on with it, and says what it used at its end"""
    thread_id = thread("/tool Paris")
    run = threads.runs.create_and_poll(thread_id=thread_id, assistant_id=assistant([WEATHER]))
    same((run.status, run.usage), ("requires_action", None))
    done = threads.runs.submit_tool_outputs_and_poll(
        run_id=run.id, thread_id=thread_id, tool_outputs=outputs(run)
    )
    same(done.status, "completed")
    steps = threads.runs.steps.list(run_id=run.id, thread_id=thread_id, order="asc").data
    same([step.type for step in steps], ["tool_calls", "message_creation"])
    same(sum(step.usage.total_tokens for step in steps), done.usage.total_tokens)


def rounds():
    """C7, C16: streams of rounds of tools keep the order that the SDK insists on"""
    assistant_id, thread_id = assistant([WEATHER]), thread("Hi")
    for _ in range(3):
        threads.messages.create(thread_id, role="user", content="/tool again")
        with threads.runs.stream(thread_id=thread_id, assistant_id=assistant_id) as first:
            run = first.get_final_run()
        same(run.status, "requires_action")
        with threads.runs.submit_tool_outputs_stream(
            run_id=run.id, thread_id=thread_id, tool_outputs=outputs(run)
        ) as second:
            same(second.get_final_run().status, "completed")


def refusals():
    """C9, C20, C22: what is refused has the classes of the SDK"""
    assistant_id, thread_id = assistant([WEATHER]), thread("/tool")
    threads.runs.create_and_poll(thread_id=thread_id, assistant_id=assistant_id)
    busy = refused(
        openai.BadRequestError, lambda: threads.runs.create(thread_id=thread_id, assistant_id=assistant_id)
    )
    assert "already has an active run" in str(busy), busy
    refused(openai.NotFoundError, lambda: threads.runs.retrieve("run_none", thread_id=thread_id))
    same(refused(openai.BadRequestError, lambda: threads.retrieve("undefined")).param, "thread_id")
    for wrong in ({"limit": 0}, {"limit": 101}, {"order": "up"}):
        refused(openai.BadRequestError, lambda wrong=wrong: threads.messages.list(thread_id, **wrong))


def broken():
    """C18: a stream that breaks off raises, with the code"""
    thread_id = thread("word " * 300)

    def read():
        for event in threads.runs.create(
            thread_id=thread_id, assistant_id=assistant(model="@mock/mock-slow-200"), stream=True
        ):
            if event.event == "thread.message.created":
                threads.delete(thread_id)

    same(refused(openai.APIError, read).code, "stream_interrupted")


def in_part():
    """C8: outputs come for all calls at once, or for none"""
    see = {"type": "function", "function": {"name": "see"}}
    thread_id = thread("/tools")
    run = threads.runs.create_and_poll(thread_id=thread_id, assistant_id=assistant([WEATHER, see]))
    first, second = outputs(run)

    def submit(*given):
        return threads.runs.submit_tool_outputs(run.id, thread_id=thread_id, tool_outputs=list(given))

    missing = str(refused(openai.BadRequestError, lambda: submit(second)))
    assert first["tool_call_id"] in missing and second["tool_call_id"] in missing, missing
    refused(openai.BadRequestError, lambda: submit(first, first))
    refused(openai.BadRequestError, lambda: submit(first, {"tool_call_id": "call_never", "output": ""}))
    same(threads.runs.retrieve(run.id, thread_id=thread_id).status, "requires_action")
    submit(second, first)
    same(threads.runs.poll(run.id, thread_id=thread_id).status, "completed")
    late = str(refused(openai.BadRequestError, lambda: submit(first, second)))
    assert "do not accept tool outputs" in late, late


def busy():
    """C10, C12, C14: a busy thread takes no message until its run is cancelled"""
    thread_id = thread("/tool")
    run = threads.runs.create_and_poll(thread_id=thread_id, assistant_id=assistant([WEATHER]))
    same(run.expires_at - run.created_at, 600)
    refused(openai.BadRequestError, lambda: threads.messages.create(thread_id, role="user", content="x"))
    same(threads.runs.cancel(run.id, thread_id=thread_id).status, "cancelling")
    same(threads.runs.retrieve(run.id, thread_id=thread_id).status, "cancelled")
    late = str(refused(openai.BadRequestError, lambda: threads.runs.cancel(run.id, thread_id=thread_id)))
    assert "Cannot cancel run with status 'cancelled'" in late, late
    same(threads.messages.create(thread_id, role="user", content="x").role, "user")


def cancelled():
    """C11: a run is cancelled while the model speaks; what was said stays"""
    thread_id, run_id = thread("word " * 300), None
    asked = {"assistant_id": assistant(model="@mock/mock-slow-100"), "stream": True}
    for event in threads.runs.create(thread_id=thread_id, **asked):
        if event.event == "thread.run.created":
            run_id = event.data.id
        if event.event == "thread.message.delta" and run_id:
            same(threads.runs.cancel(run_id, thread_id=thread_id).status, "cancelling")
            asked_of, run_id = run_id, None
    run = threads.runs.retrieve(asked_of, thread_id=thread_id)
    same((run.status, run.cancelled_at is None), ("cancelled", False))
    newest = threads.messages.list(thread_id).data[0]
    same((newest.status, newest.incomplete_details.reason), ("incomplete", "run_cancelled"))
    same([step.status for step in threads.runs.steps.list(run.id, thread_id=thread_id).data], ["cancelled"])


def failed():
    """C17: a run fails as its provider does, which its stream says without raising"""
    for status, code in ((429, "rate_limit_exceeded"), (400, "invalid_prompt"), (503, "server_error")):
        with threads.runs.stream(thread_id=thread(f"/fail {status}"), assistant_id=assistant()) as stream:
            run = stream.get_final_run()
        same((run.status, run.last_error.code, run.failed_at is None), ("failed", code, False))


def chosen():
    """C32: a choice of tools is kept to, and a forced one does not repeat itself"""
    assistant_id = assistant([WEATHER])
    none = threads.runs.create_and_poll(
        thread_id=thread("Hi"), assistant_id=assistant_id, tool_choice="none"
    )
    same(none.status, "completed")
    for choice in ("required", WEATHER):
        thread_id = thread("Hi")
        run = threads.runs.create_and_poll(
            thread_id=thread_id, assistant_id=assistant_id, tool_choice=choice
        )
        same(run.status, "requires_action")
        done = threads.runs.submit_tool_outputs_and_poll(
            run_id=run.id, thread_id=thread_id, tool_outputs=outputs(run)
        )
        same(done.status, "completed")


def bounded():
    """C33, C34: a run keeps to its budget of answers, and to the newest message"""
    thread_id, assistant_id = thread("/long 400"), assistant()
    run = threads.runs.create_and_poll(
        thread_id=thread_id, assistant_id=assistant_id, max_completion_tokens=256
    )
    same((run.status, run.incomplete_details.reason), ("incomplete", "max_completion_tokens"))
    same(threads.messages.list(thread_id).data[0].incomplete_details.reason, "max_tokens")
    refused(
        openai.BadRequestError,
        lambda: threads.runs.create(
            thread_id=thread_id, assistant_id=assistant_id, max_completion_tokens=255
        ),
    )
    thread_id = thread("one two three")
    threads.messages.create(thread_id, role="user", content="four")
    newest = {"type": "last_messages", "last_messages": 1}
    run = threads.runs.create_and_poll(
        thread_id=thread_id, assistant_id=assistant_id, truncation_strategy=newest
    )
    same(run.usage.prompt_tokens, 1)


def formed():
    """C35: an answer keeps to a schema, and a refusal is one"""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    form = {"type": "json_schema", "json_schema": {"name": "a", "strict": True, "schema": schema}}
    assistant_id = assistant()
    for content, kind in (("Count", "text"), ("/refuse", "refusal")):
        thread_id = thread(content)
        threads.runs.create_and_poll(thread_id=thread_id, assistant_id=assistant_id, response_format=form)
        same(threads.messages.list(thread_id).data[0].content[0].type, kind)


def overridden():
    """C36, C37: a run has what its request says, and its messages are listed by it"""
    assistants, thread_id = client.beta.assistants, thread("Hi")
    made = assistants.create(model="@mock/mock-2", instructions="A", temperature=1)
    run = threads.runs.create_and_poll(
        thread_id=thread_id,
        assistant_id=made.id,
        model="@mock/mock-1",
        instructions="B",
        additional_instructions="C",
        temperature=0.5,
        metadata={"k": "v"},
    )
    same((run.model, run.instructions, run.temperature), ("@mock/mock-1", "B\n\nC", 0.5))
    same(assistants.retrieve(made.id), made)
    same([one.role for one in threads.messages.list(thread_id, run_id=run.id).data], ["assistant"])
    many = {f"k{number}": "v" for number in range(17)}
    for wrong in (many, {"k" * 65: "v"}, {"k": "v" * 513}):
        refused(
            openai.BadRequestError,
            lambda wrong=wrong: threads.runs.update(run.id, thread_id=thread_id, metadata=wrong),
        )


def left():
    """C39: a run goes on when its reader leaves"""
    content = "a b c d e f g h i j k l m n o p"
    thread_id = thread(content)
    asked = {"assistant_id": assistant(model="@mock/mock-slow-50"), "stream": True}
    with threads.runs.create(thread_id=thread_id, **asked) as events:
        for event in events:
            if event.event == "thread.run.created":
                run_id = event.data.id
            if event.event == "thread.message.delta":
                break
    same(threads.runs.poll(run_id, thread_id=thread_id).status, "completed")
    same(threads.messages.list(thread_id).data[0].content[0].text.value, content)


def crowded():
    """C40: a thread takes one of a hundred runs that are made at once"""
    thread_id, assistant_id = thread("/tool"), assistant([WEATHER])
    alone = client.with_options(max_retries=0).beta.threads.runs

    def create(_):
        try:
            alone.create(thread_id=thread_id, assistant_id=assistant_id)
            return True
        except openai.BadRequestError as error:
            assert "already has an active run" in str(error), error
            return False

    with ThreadPoolExecutor(max_workers=25) as pool:
        same(sum(pool.map(create, range(100))), 1)


def walked():
    """C21: a list is walked to its end"""
    wanted = [str(number) for number in range(45)]
    thread_id = threads.create(messages=[{"role": "user", "content": content} for content in wanted]).id
    for order in ("asc", "desc"):
        found = [one.content[0].text.value for one in threads.messages.list(thread_id, order=order, limit=20)]
        same(found, wanted if order == "asc" else wanted[::-1])


def together():
    """C1, C3: a thread and its run are made by one request, polled and streamed"""
    asked = {"assistant_id": assistant(), "thread": {"messages": [{"role": "user", "content": "Hi"}]}}
    same(threads.create_and_run_poll(**asked).status, "completed")
    with threads.create_and_run_stream(**asked) as stream:
        same(stream.get_final_run().status, "completed")


def deleted():
    """C38: what is deleted says so"""
    gone = client.beta.assistants.delete(assistant())
    same((gone.object, gone.deleted), ("assistant.deleted", True))
    gone = threads.delete(thread("Hi"))
    same((gone.object, gone.deleted), ("thread.deleted", True))


CHECKS = (
    *(polled, streamed, functions, rounds, in_part, refusals, busy, cancelled, failed, broken, walked),
    *(together, chosen, bounded, formed, overridden, deleted, left, crowded),
)

for check in CHECKS:
    found = {"version": openai.__version__, "check": check.__doc__, "error": None}
    try:
        check()
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {error}"
    print(json.dumps(found), flush=True)
