"""What schemathesis has to be told about bodies in lines."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(_context, value):
    return (json.dumps(value) + "\n").encode()


@schemathesis.deserializer("application/x-ndjson")
def entries(_context, response):
    found = [json.loads(line) for line in response.content.splitlines()]
    # Each line is an object of the schema; schemathesis checks one value per answer.
    return found[0] if found else None
