import Fastify from "fastify";
import { expect, it } from "vitest";
import { routes } from "../src/routes.js";
import type { Member } from "../src/store.js";
import { memory } from "./memory.js";

function serve(members: Record<string, Member["role"]>) {
  const { store, roles } = memory(members);
  const app = Fastify();
  app.decorateRequest("userId", "");
  app.addHook("onRequest", async (request) => {
    request.userId = String(request.headers["x-user"]);
  });
  routes(app, store);
  const change = (by: string, user: string, role: string) =>
    app.inject({
      method: "PATCH",
      url: `/projects/p/members/${user}`,
      headers: { "x-user": by },
      payload: { role },
    });
  const changeMany = (by: string, payload: object) =>
    app.inject({ method: "PATCH", url: "/projects/p/members", headers: { "x-user": by }, payload });
  return { change, changeMany, roles };
}

it("lets an owner change a role", async () => {
  const { change, roles } = serve({ ann: "owner", bob: "viewer" });

  expect((await change("ann", "bob", "editor")).statusCode).toBe(204);
  expect(roles()).toEqual({ ann: "owner", bob: "editor" });
});

it("refuses everybody else", async () => {
  const { change } = serve({ ann: "owner", bob: "editor" });

  expect((await change("bob", "bob", "owner")).statusCode).toBe(403);
  expect((await change("eve", "bob", "owner")).statusCode).toBe(404);
});

it("keeps the last owner", async () => {
  const { change } = serve({ ann: "owner", bob: "editor" });

  expect((await change("ann", "ann", "viewer")).statusCode).toBe(409);
});

it("changes many roles at once", async () => {
  const { changeMany, roles } = serve({ ann: "owner", bob: "viewer", cem: "viewer" });

  const answer = await changeMany("ann", [
    { userId: "bob", role: "editor" },
    { userId: "cem", role: "owner" },
  ]);

  expect(answer.statusCode).toBe(204);
  expect(roles()).toEqual({ ann: "owner", bob: "editor", cem: "owner" });
});

it("changes nothing where one of them cannot be changed", async () => {
  const { changeMany, roles } = serve({ ann: "owner", bob: "viewer" });

  const answer = await changeMany("ann", [
    { userId: "bob", role: "editor" },
    { userId: "ann", role: "viewer" },
  ]);

  expect(answer.statusCode).toBe(409);
  expect(roles()).toEqual({ ann: "owner", bob: "viewer" });
});

it("does not let strangers change roles", async () => {
  const { changeMany } = serve({ ann: "owner", bob: "viewer" });

  expect((await changeMany("eve", [{ userId: "bob", role: "owner" }])).statusCode).toBe(404);
});

it.each([[[]], [{}], [[{ userId: "bob" }]], [[null]], [[{ userId: "bob", role: "king" }]]])(
  "refuses the body %j",
  async (body) => {
    const { changeMany } = serve({ ann: "owner", bob: "viewer" });

    expect((await changeMany("ann", body)).statusCode).toBe(400);
  },
);
