import type { FastifyInstance } from "fastify";
import { Refused } from "./errors.js";
import type { Member, Role, Store } from "./store.js";

const ROLES: readonly Role[] = ["viewer", "editor", "owner"];

declare module "fastify" {
  interface FastifyRequest {
    /** Who asks; set by the gateway plugin, which refuses everybody else. */
    userId: string;
  }
}

export function routes(app: FastifyInstance, store: Store): void {
  app.get<{ Params: { project: string } }>("/projects/:project/members", async (request) => {
    return store.transaction(async (members) => {
      const all = await members.list(request.params.project);
      memberOf(all, request.userId);
      return all;
    });
  });

  app.patch<{ Params: { project: string; user: string }; Body: { role: Role } }>(
    "/projects/:project/members/:user",
    async (request, reply) => {
      const { project, user } = request.params;
      const role = request.body?.role;
      if (!ROLES.includes(role)) throw new Refused(400, "no such role");
      await store.transaction(async (members) => {
        const all = await members.list(project);
        if (memberOf(all, request.userId).role !== "owner") throw new Refused(403, "only owners change roles");
        const member = memberOf(all, user);
        const owners = all.filter((each) => each.role === "owner");
        if (role !== "owner" && owners.length === 1 && owners[0] === member) {
          throw new Refused(409, "a project needs an owner");
        }
        await members.setRole(project, user, role);
      });
      return reply.code(204).send();
    },
  );
}

/** Finds a member. Who is none is not told whether the project exists. */
function memberOf(all: readonly Member[], userId: string): Member {
  const member = all.find((each) => each.userId === userId);
  if (member === undefined) throw new Refused(404, "no such project or member");
  return member;
}
