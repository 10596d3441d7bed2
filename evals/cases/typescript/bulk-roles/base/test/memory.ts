import type { Member, Store } from "../src/store.js";

/** A store of one project, "p", in memory. */
export function memory(members: Record<string, Member["role"]>) {
  let now = { ...members };
  const store: Store = {
    async transaction(work) {
      const draft = { ...now };
      const result = await work({
        list: async (project) =>
          project === "p" ? Object.entries(draft).map(([userId, role]) => ({ userId, role })) : [],
        setRole: async (_project, userId, role) => {
          draft[userId] = role;
        },
      });
      now = draft;
      return result;
    },
  };
  return { store, roles: () => now };
}
