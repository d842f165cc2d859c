#!/usr/bin/env python3
"""A server that speaks OpenAI's protocol and says, whatever it is asked, one of the texts of tests/data/adversaries.json: random words,
lies, loops, and so on. The name of the model chooses the text.

    python3 benches/language_model/adversary.py [--port PORT]      serves until it is stopped; its first line is its address
    python3 benches/language_model/adversary.py --names            the names of its models, one a line
"""
import argparse, http.server, json, pathlib, re, sys

TEXTS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "adversaries.json"
# Characters of one event of a streamed text: about a token.
PIECE = 4


def texts():
    """The texts by name, in their order; names without blanks, as configurations need them."""
    return {re.sub(r"\W+", "-", one["name"]): one["text"] for one in json.loads(TEXTS.read_text(encoding="utf-8"))}


class Adversary(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    texts = {}

    def log_message(self, *_):
        pass

    def reply(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fail(self, status, message):
        self.reply(status, "application/json", json.dumps({"error": {"message": message}}).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.path.endswith("/chat/completions"):
            return self.fail(404, "only /chat/completions is served")
        try:
            request = json.loads(body)
        except ValueError:
            return self.fail(400, "the request is no JSON")
        text = self.texts.get(request.get("model"))
        if text is None:
            return self.fail(404, "no such model; there are: " + ", ".join(self.texts))
        # About so many tokens as a real model may write.
        text = text[: PIECE * int(request.get("max_tokens") or 500)]
        usage = {"prompt_tokens": sum(len(m.get("content") or "") for m in request.get("messages", [])) // PIECE, "completion_tokens": len(text) // PIECE}
        if not request.get("stream"):
            choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            return self.reply(200, "application/json", json.dumps({"choices": [choice], "usage": usage}).encode())
        events = [{"choices": [{"delta": {"content": text[at : at + PIECE]}}]} for at in range(0, len(text), PIECE)]
        events += [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
        stream = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        self.reply(200, "text/event-stream", stream.encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--names", action="store_true", help="list the models and end")
    args = parser.parse_args()
    Adversary.texts = texts()
    if args.names:
        print("\n".join(Adversary.texts))
        return
    server = http.server.ThreadingHTTPServer(("127.0.0.1", args.port), Adversary)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
