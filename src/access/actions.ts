import type { TokenScope } from './records.ts'

/**
 * Actions on a layer, which need a right. `download` is files of whole layers, `edit` single features, `import`
 * creating and replacing layers, `manage` everything. Each action includes `read`.
 */
export const actions = ['read', 'download', 'edit', 'import', 'manage'] as const
/** An action of a caller on a workspace or a layer. */
export type Action = (typeof actions)[number]

/** Bit of each action in a mask. */
export const bits: Readonly<Record<Action, number>> = { read: 1, download: 2, edit: 4, import: 8, manage: 16 }

const granted: Readonly<Record<Action, number>> = {
  read: bits.read,
  download: bits.read | bits.download,
  edit: bits.read | bits.edit,
  import: bits.read | bits.import,
  manage: 31,
}

/** Mask of all actions. */
export const everyAction = granted.manage
/** Mask of what everyone may do with a public layer, and users by default with every layer. */
export const readingActions = granted.read | granted.download

/** Returns the mask of actions, including those that they imply. */
export function maskOf(granting: readonly Action[]): number {
  return granting.reduce((mask, action) => mask | granted[action], 0)
}

const scopeMasks: Readonly<Record<TokenScope, number>> = {
  read: readingActions,
  import: readingActions | granted.edit | granted.import,
  manage: everyAction,
}

/** Returns the mask of actions that a token of these scopes allows. */
export function maskOfScopes(scopes: readonly TokenScope[] | undefined): number {
  return scopes === undefined ? everyAction : scopes.reduce((mask, scope) => mask | scopeMasks[scope], 0)
}
