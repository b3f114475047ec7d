import { Type } from 'typebox'
import type { Rights } from '../../../access/index.ts'
import type { Catalog } from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { operation } from '../../endpoint.ts'
import { namespaceOf } from '../../workspace-namespace.ts'
import { Linked, WorkspaceParams, workspacePath } from '../catalog/paths.ts'

/** Dependencies of the endpoints of namespaces. */
export interface NamespaceDeps {
  catalog: Pick<Catalog, 'workspaces'>
}

const tags = ['geoserver']

function namespacePath(name: string): string {
  return `/rest/namespaces/${encodeURIComponent(name)}`
}

function isReadable(rights: Rights, workspace: string): boolean {
  return rights.can('read', { workspace }) || rights.canWithin('read', workspace)
}

export const listNamespaces = operation({
  summary: 'List namespaces, one for each workspace',
  description: 'Prefixes of the workspaces that the caller may see, with links, as GeoServer lists them.',
  tags,
  answers: { 200: Type.Object({ namespaces: Type.Object({ namespace: Type.Array(Linked) }) }) },
  handle: async ({ catalog }: NamespaceDeps, request) => {
    const rights = await request.rights()
    const names = (await catalog.workspaces.list()).map(({ name }) => name)
    const namespace = names
      .filter((name) => isReadable(rights, name))
      .map((name) => ({ name, href: request.link(namespacePath(name)) }))
    return { namespaces: { namespace } }
  },
})

export const showNamespace = operation({
  summary: 'Show the namespace of a workspace',
  description:
    'Prefix and URI of the features of a workspace in WFS. The URI follows from the address of the server and cannot be set.',
  tags,
  params: WorkspaceParams,
  answers: {
    200: Type.Object({
      namespace: Type.Object({ prefix: Type.String(), uri: Type.String(), featureTypes: Type.String() }),
    }),
  },
  handle: async ({ catalog }: NamespaceDeps, request) => {
    const { name } = await catalog.workspaces.get(request.params.workspace)
    return { namespace: toNamespace(request, name) }
  },
})

function toNamespace(request: FastifyRequest, name: string) {
  return {
    prefix: name,
    uri: namespaceOf(request, name),
    featureTypes: request.link(`${workspacePath(name)}/layers`),
  }
}
