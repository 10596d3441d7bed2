import type { FastifyInstance } from "fastify";
import { Refused } from "./errors.js";
import { changeRoles, isRole, memberOf, readChanges } from "./roles.js";
import type { Role, Store } from "./store.js";

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

  app.patch<{ Params: { project: string }; Body: unknown }>("/projects/:project/members", async (request, reply) => {
    const { project } = request.params;
    const changes = readChanges(request.body);
    await store.transaction(async (members) => {
      const all = await members.list(project);
      memberOf(all, request.userId);
      await changeRoles(members, project, all, changes);
    });
    return reply.code(204).send();
  });

  app.patch<{ Params: { project: string; user: string }; Body: { role: Role } }>(
    "/projects/:project/members/:user",
    async (request, reply) => {
      const { project, user } = request.params;
      const role = request.body?.role;
      if (!isRole(role)) throw new Refused(400, "no such role");
      await store.transaction(async (members) => {
        const all = await members.list(project);
        if (memberOf(all, request.userId).role !== "owner") throw new Refused(403, "only owners change roles");
        await changeRoles(members, project, all, [{ userId: user, role }]);
      });
      return reply.code(204).send();
    },
  );
}
