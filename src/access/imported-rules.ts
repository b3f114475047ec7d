/** Subject of a permission of another system, converted to the terms of Terrane. */

export type RuleSubject = { user: string } | { group: string } | { everyone: true } | { authenticated: true }

/** A permission in the form of the API, with the line of the file that defines it. */
export interface RulePermission {
  line: number
  /** Text of the rule in the file. */
  rule: string
  subject: RuleSubject
  resource: string
  actions: readonly string[]
}

/** A rule, or a part of a rule, that was not imported. */
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
