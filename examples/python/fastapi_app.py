"""A FastAPI app that answers questions with one of two models, chosen by the decision service within a daily budget.

    rein serve &                                                   # the service, http://127.0.0.1:8080
    uvicorn --app-dir examples/python --factory fastapi_app:make_app     # this app: POST /ask, POST /thumb, GET /spend
    python examples/python/fastapi_app.py [--url URL] [--asks 200]       # or: play some visitors through it

It needs `pip install fastapi httpx`, and uvicorn to serve it. The models are pretended: `ask_model` returns a text and
what it cost. Put the call of your provider there.

The bill is reported at once, a thumb of the visitor later or never. A request that is repeated with the same
X-Request-Id gets the same decision, so a proxy that retries does not buy twice.
"""

import argparse
import contextlib
import os
import random

from fastapi import FastAPI, Header, HTTPException
from pydantic import BaseModel

import rein

DOLLARS = 0.5  # per day, never exceeded
MODEL = {"policy": "ccb", "actions": ["small", "large"], "context": {"words": "number", "code": "bool"},
         "costs": ["dollars"], "reward": [0, 1], "largest_costs": {"small": 0.001, "large": 0.01}, "expire_after": 600,
         "budgets": [{"name": "day", "cost": "dollars", "amount": DOLLARS, "hard": True, "per": "day", "rounds": 200}]}


class Ask(BaseModel):
    question: str


class Thumb(BaseModel):
    id: str
    up: bool


async def ask_model(model: str, question: str) -> tuple[str, float]:
    """Your provider here: the answer and what it cost."""
    return f"{model}: {question[::-1]}", (0.0005 if model == "small" else 0.005) * random.uniform(0.5, 1.5)


def make_app(url: str | None = None, model: str = "answers") -> FastAPI:
    client = rein.AsyncClient(model, url=url or os.environ.get("REIN_URL", "http://127.0.0.1:8080"))

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI):
        await client.create(MODEL)  # the same document again changes nothing
        yield
        await client.close()

    app = FastAPI(lifespan=lifespan)

    @app.post("/ask")
    async def ask(asked: Ask, x_request_id: str | None = Header(None)):
        known = {"words": len(asked.question.split()), "code": "(" in asked.question}
        try:
            d = await client.decide(known, request_id=x_request_id)
        except rein.BudgetSpent as spent:
            raise HTTPException(429, "the budget of today is spent",
                                {"Retry-After": str(int(spent.retry_after or 3600))}) from None
        try:
            answer, dollars = await ask_model(d.action, asked.question)
        except Exception:
            await client.cancel(d)  # nothing was bought
            raise
        await client.outcome(d, costs={"dollars": dollars})
        return {"id": d.id, "model": d.action, "answer": answer}

    @app.post("/thumb")
    async def thumb(seen: Thumb):
        try:
            return {"result": await client.outcome(seen.id, reward=float(seen.up))}
        except (rein.UnknownDecision, rein.ExpiredDecision) as unknown:
            raise HTTPException(404, str(unknown)) from None
        except rein.OutcomeConflict as conflict:
            raise HTTPException(409, str(conflict)) from None

    @app.get("/spend")
    async def spend():
        return (await client.budgets())["day"]

    return app


def main() -> None:
    from fastapi.testclient import TestClient

    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--url", default="http://127.0.0.1:8080")
    words.add_argument("--asks", type=int, default=200)
    words = words.parse_args()
    rng, shown, refused = random.Random(1), {"small": 0, "large": 0}, 0
    with TestClient(make_app(words.url)) as visitor:
        for _ in range(words.asks):
            code = rng.random() < 0.5
            got = visitor.post("/ask", json={"question": "sort(list)" if code else "what is a bandit"})
            if got.status_code == 429:
                refused += 1
                continue
            got.raise_for_status()
            answer = got.json()
            shown[answer["model"]] += 1
            liked = rng.random() < (0.9 if answer["model"] == "large" else 0.3 if code else 0.8)
            visitor.post("/thumb", json={"id": answer["id"], "up": liked}).raise_for_status()
        day = visitor.get("/spend").json()
    print(f"{words.asks} questions: {shown['small']} to the small model, {shown['large']} to the large one, "
          f"{refused} refused")
    print(f"spent {day['spent']:.6f} of {day['limit']:.6f} dollars")


if __name__ == "__main__":
    main()
