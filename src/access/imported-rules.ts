/** Permissions of another system, in the terms of Terrane, and what has no counterpart. */

export type RuleSubject = { user: string } | { group: string } | { everyone: true } | { authenticated: true }

/** A permission as the API takes it, with the line of the file that it comes from. */
export interface RulePermission {
  line: number
  /** Text of the rule in the file. */
  rule: string
  subject: RuleSubject
  resource: string
  actions: readonly string[]
}

/** A rule, or a part of one, that was not taken. */
export interface NotTaken {
  line: number
  rule: string
  reason: string
}

/** Content of a file with rules. */
export interface ReadRules {
  taken: RulePermission[]
  notTaken: NotTaken[]
  /** Lines that cannot be read. */
  bad: NotTaken[]
}

/** Workspaces and layers of the server. */
export interface KnownObjects {
  workspaces: readonly string[]
  /** As `<workspace>:<layer>`. */
  layers: readonly string[]
}

/** Reason why a rule that lets everyone write is not taken. */
export const anonymousEdits =
  'everyone could edit without a login. If that is meant: terrane permissions create everyone RESOURCE edit'

/** Returns the names of the layers of a workspace that exist. */
export function layersIn({ layers }: Pick<KnownObjects, 'layers'>, workspace: string): string[] {
  return layers.filter((name) => name.startsWith(`${workspace}:`))
}
