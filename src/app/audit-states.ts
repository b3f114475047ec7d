import type { Accounts } from '../access/index.ts'
import type { Catalog } from '../catalog/index.ts'

type Params = Readonly<Record<string, string>>
type StateReader = (params: Params) => Promise<unknown>

/** Parts whose states the audit log records before a change. */
export interface AuditedParts {
  accounts: Pick<Accounts, 'users' | 'groups'>
  catalog: Pick<Catalog, 'workspaces' | 'stores' | 'layers' | 'styles'>
}

/** Returns a function that reads the state of the resource in a path. Features are never read, only versions. */
export function stateReader({
  accounts,
  catalog,
}: AuditedParts): (route: string, params: Params) => Promise<unknown> {
  const { workspaces, stores, layers, styles } = catalog
  const user: StateReader = async ({ name = '' }) => {
    const found = await accounts.users.find(name)
    return found && { email: found.email, role: found.role, enabled: found.isEnabled }
  }
  const group: StateReader = async ({ group: name = '' }) => {
    const found = await accounts.groups.find(name)
    return found && { title: found.title, members: found.members }
  }
  const workspace: StateReader = async ({ workspace: name = '' }) => {
    const found = await workspaces.find(name)
    return found && { name: found.name, public: found.isPublic }
  }
  const store: StateReader = async ({ workspace: place = '', store: name = '' }) => {
    const found = await stores.find(place, name)
    if (found === undefined) return undefined
    const { type, isEnabled, parameters, description, keepsVersions } = found
    return { type, enabled: isEnabled, parameters, description, keepsVersions }
  }
  const layer: StateReader = async ({ layer: name = '' }) => {
    const found = await layers.findNamed(name)
    return found && { version: found.version, public: found.isPublic, ...found.details }
  }
  const version: StateReader = async ({ layer: name, collectionId = '' }) => {
    const found = await layers.findNamed(name ?? collectionId)
    return found && { version: found.version }
  }
  const styleNamed = async (place: string | undefined, name: string): Promise<unknown> => {
    const found = await styles.find(place, name)
    return found && { format: found.format, document: found.document }
  }
  const style: StateReader = ({ workspace: place, style: name = '' }) => styleNamed(place, name)
  const ogcStyle: StateReader = ({ styleId = '' }) => {
    const colon = styleId.indexOf(':')
    return styleNamed(colon < 0 ? undefined : styleId.slice(0, colon), styleId.slice(colon + 1))
  }
  const readers: readonly [RegExp, StateReader][] = [
    [/^\/rest\/security\/users\/:name$/, user],
    [/^\/rest\/security\/groups\/:group$/, group],
    [/^\/rest\/workspaces\/:workspace$/, workspace],
    [/^\/rest\/workspaces\/:workspace\/(?:datastores|coveragestores)\/:store$/, store],
    [/^\/rest\/layers\/:layer$/, layer],
    [/^\/rest\/layers\/:layer\/(?:refresh|versions)\b/, version],
    [/^\/ogc\/collections\/:collectionId\/items\b/, version],
    [/^(?:\/rest\/workspaces\/:workspace)?(?:\/rest)?\/styles\/:style$/, style],
    [/^\/ogc\/styles\/:styleId$/, ogcStyle],
  ]
  return async (route, params) => readers.find(([pattern]) => pattern.test(route))?.[1](params)
}
