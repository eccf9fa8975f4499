/** The database roles of least privilege; their rights are in `grants.ts`. */
export const roles = {
  /** Owns the schema and migrates it. */
  owner: 'campaign_mirror_owner',
  /** The operator's commands. */
  operator: 'campaign_mirror_operator',
  /** The HTTP service. */
  service: 'campaign_mirror_service',
  /** A redirector: reads `current_mirrors`, counts clicks. */
  redirector: 'campaign_mirror_redirector',
} as const;

/** A role by its short name. */
export type Role = keyof typeof roles;
