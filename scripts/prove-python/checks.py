"""What the Python SDK of this process has to be able to do with assistants; prints a line for each check."""

import os
import sys
import warnings

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
    """C5, C6: a run waits for the output of a function, and goes on with it"""
    thread_id = thread("/tool Paris")
    run = threads.runs.create_and_poll(thread_id=thread_id, assistant_id=assistant([WEATHER]))
    same(run.status, "requires_action")
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


failures = 0
for check in (polled, streamed, functions, rounds, refusals, broken, walked, together, deleted):
    try:
        check()
        print(f"yes  openai {openai.__version__}  {check.__doc__}", flush=True)
    except Exception as error:
        failures += 1
        print(f"NO   openai {openai.__version__}  {check.__doc__}: {type(error).__name__}: {error}", flush=True)
sys.exit(1 if failures else 0)
