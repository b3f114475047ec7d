import { useEffect } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { Resource } from '../../lib/resource.ts'
import { query } from '../../lib/router.ts'

/** Rows per page of a list. */
export const partSize = 100

export type Workspace = Calls['GET /rest/catalogue/workspaces']['answer']['workspaces'][number]
export type Store = Calls['GET /rest/catalogue/stores']['answer']['stores'][number]
export type User = Calls['GET /rest/security/users']['answer']['users'][number]

export type LayerGroup = Calls['GET /rest/catalogue/layer-groups']['answer']['groups'][number]
export type Group = Calls['GET /rest/security/groups']['answer']['groups'][number]

/** Returns the page in the address, from 0. */
export function partOf(parameters: URLSearchParams): number {
  const part = Number(parameters.get('part') ?? '1') - 1
  return Number.isSafeInteger(part) && part > 0 ? part : 0
}

function listQuery(): NonNullable<Call['query']> {
  const offset = partOf(query.value) * partSize
  return { q: query.value.get('q') || undefined, limit: partSize, offset: offset === 0 ? undefined : offset }
}

export function workspacesCall(): Call {
  return { path: '/rest/catalogue/workspaces', query: listQuery() }
}

export function storesCall(): Call {
  const workspace = query.value.get('workspace') || undefined
  return { path: '/rest/catalogue/stores', query: { ...listQuery(), workspace } }
}

export function layerGroupsCall(): Call {
  return { path: '/rest/catalogue/layer-groups', query: listQuery() }
}

export function usersCall(): Call {
  return { path: '/rest/security/users' }
}

export const groupsPath = '/rest/security/groups'

export function groupsCall(): Call {
  return { path: groupsPath }
}

export function groupPath(name: string): string {
  return `${groupsPath}/${encodeURIComponent(name)}`
}

export const workspaces = new Resource((signal) =>
  call<Calls['GET /rest/catalogue/workspaces']['answer']>(workspacesCall(), signal),
)
export const stores = new Resource((signal) =>
  call<Calls['GET /rest/catalogue/stores']['answer']>(storesCall(), signal),
)
export const layerGroups = new Resource((signal) =>
  call<Calls['GET /rest/catalogue/layer-groups']['answer']>(layerGroupsCall(), signal),
)
export const users = new Resource((signal) =>
  call<Calls['GET /rest/security/users']['answer']>(usersCall(), signal),
)
export const groups = new Resource((signal) =>
  call<Calls['GET /rest/security/groups']['answer']>(groupsCall(), signal),
)

/** Reloads a list whenever the address changes its query. */
export function useList(list: Resource<unknown>, requested: Call): void {
  const query = JSON.stringify(requested)
  useEffect(() => {
    void list.load()
  }, [query])
}

/** The address of a workspace's or store's own endpoint. */
export function pathOf({ href }: { href: string }): string {
  const { pathname } = new URL(href)
  return pathname.slice(pathname.indexOf('/rest/'))
}

/** The names of all workspaces, for choices. */
export const workspaceNames = new Resource(async (signal) => {
  type Reply = Calls['GET /rest/workspaces']['answer']
  const reply = await call<Reply>({ path: '/rest/workspaces' }, signal)
  return reply.workspaces.workspace.map(({ name }) => name)
})
