import { Refused } from "./errors.js";
import type { Member, Members, Role } from "./store.js";

export interface RoleChange {
  userId: string;
  role: Role;
}

export const MOST_CHANGES = 200;

const ROLES: readonly unknown[] = ["viewer", "editor", "owner"] satisfies Role[];

export function isRole(value: unknown): value is Role {
  return ROLES.includes(value);
}

/** Reads the body of a change of many roles. Throws Refused. */
export function readChanges(body: unknown): RoleChange[] {
  if (!Array.isArray(body) || body.length === 0) throw new Refused(400, "a list of changes is needed");
  if (body.length > MOST_CHANGES) throw new Refused(400, `at most ${MOST_CHANGES} changes at once`);
  const changes = body.map((each: Partial<RoleChange> | null) => {
    if (typeof each?.userId !== "string") throw new Refused(400, "a change without a user");
    if (!isRole(each.role)) throw new Refused(400, "no such role");
    return { userId: each.userId, role: each.role };
  });
  if (new Set(changes.map(({ userId }) => userId)).size < changes.length) {
    throw new Refused(400, "two changes of one user");
  }
  return changes;
}

/** Changes roles, all of them or none; `all` are the project's members. Throws Refused. */
export async function changeRoles(
  members: Members,
  project: string,
  all: readonly Member[],
  changes: readonly RoleChange[],
): Promise<void> {
  const owners = all.filter(({ role }) => role === "owner");
  for (const { userId, role } of changes) {
    const member = memberOf(all, userId);
    if (role !== "owner" && owners.length === 1 && owners[0] === member) {
      throw new Refused(409, "a project needs an owner");
    }
    await members.setRole(project, userId, role);
  }
}

/** Finds a member. Who is none is not told whether the project exists. */
export function memberOf(all: readonly Member[], userId: string): Member {
  const member = all.find((each) => each.userId === userId);
  if (member === undefined) throw new Refused(404, "no such project or member");
  return member;
}
