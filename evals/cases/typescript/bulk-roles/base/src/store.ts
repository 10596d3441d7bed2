export type Role = "viewer" | "editor" | "owner";

export interface Member {
  userId: string;
  role: Role;
}

/** The members of all projects; a transaction sees and writes everything or nothing, one after the other. */
export interface Store {
  transaction<T>(work: (members: Members) => Promise<T>): Promise<T>;
}

export interface Members {
  list(projectId: string): Promise<Member[]>;
  setRole(projectId: string, userId: string, role: Role): Promise<void>;
}
