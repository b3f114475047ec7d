import { Type } from 'typebox'
import type { Quota, QuotaKind, QuotaUsage, Workspace } from '../../../catalog/index.ts'
import { defined, hasValues } from '../../../core/values/defined.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { CopiesLiveSeconds } from '../../caching.ts'
import { Linked, workspacePath } from './paths.ts'

const maxBytes = Number.MAX_SAFE_INTEGER
const Limit = (what: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: maxBytes }), Type.Literal('none')], {
    description: `Limit of ${what}; \`none\` removes it`,
  })

export const WorkspaceBody = Type.Object({
  workspace: Type.Object({
    name: Type.Optional(Type.String()),
    public: Type.Optional(Type.Boolean({ description: 'True if anonymous users may read its layers' })),
    quota: Type.Optional(
      Type.Object(
        {
          bytes: Type.Optional(Limit('the bytes of its data')),
          layers: Type.Optional(Limit('its layers')),
          versions: Type.Optional(Limit('the previous versions of its layers')),
        },
        {
          description:
            'Limits of the workspace; absent ones keep their values. Needs the scope `manage` without a workspace',
        },
      ),
    ),
  }),
})

export const WorkspaceList = Type.Object({ workspaces: Type.Object({ workspace: Type.Array(Linked) }) })

const Count = Type.Integer({ minimum: 0 })

/** The limits that a workspace has. */
export const WorkspaceQuota = Type.Object(
  { bytes: Type.Optional(Count), layers: Type.Optional(Count), versions: Type.Optional(Count) },
  { description: 'Limits; absent ones are not set. `/usage` returns the amounts used' },
)

const Used = Type.Object({
  used: Count,
  limit: Type.Union([Count, Type.Null()], { description: 'null: no limit' }),
})

export const UsageReply = Type.Object({
  usage: Type.Object({
    bytes: Used,
    layers: Used,
    versions: Type.Object(Used.properties, { description: 'Previous versions that are retained' }),
  }),
})

/** Returns the limits that exist; undefined if there are none. */
export function toQuotaResponse(quota: Quota): Quota | undefined {
  return hasValues(quota) ? defined(quota) : undefined
}

export function toUsageResponse(usage: QuotaUsage) {
  const { bytes, layers, versions } = usage
  const shown = ({ used, limit }: QuotaUsage['bytes']) => ({ used, limit: limit ?? null })
  return { usage: { bytes: shown(bytes), layers: shown(layers), versions: shown(versions) } }
}

/** Returns the change of limits in a body. */
export function readQuotaBody(
  quota: Partial<Record<QuotaKind, number | 'none' | undefined>>,
): Partial<Record<QuotaKind, number | null>> {
  const entries = Object.entries(defined(quota)).map(([kind, limit]) => [
    kind,
    limit === 'none' ? null : limit,
  ])
  return Object.fromEntries(entries)
}

export const WorkspaceReply = Type.Object({
  workspace: Type.Object({
    name: Type.String(),
    isolated: Type.Boolean(),
    public: Type.Boolean({ description: 'True if anonymous users may read its layers' }),
    quota: Type.Optional(WorkspaceQuota),
    copiesLiveSeconds: CopiesLiveSeconds,
    href: Type.String(),
    dataStores: Type.String({ description: 'URL of its data stores' }),
    coverageStores: Type.String({ description: 'URL of its coverage stores' }),
    layers: Type.String({ description: 'URL of its layers' }),
    styles: Type.String({ description: 'URL of its styles' }),
    dateCreated: Type.String(),
    dateModified: Type.String(),
  }),
})

export function toWorkspaceResponse(request: FastifyRequest, workspace: Workspace) {
  const path = workspacePath(workspace.name)
  return {
    workspace: {
      name: workspace.name,
      isolated: false,
      public: workspace.isPublic,
      quota: toQuotaResponse(workspace.quota),
      href: request.link(path),
      dataStores: request.link(`${path}/datastores`),
      coverageStores: request.link(`${path}/coveragestores`),
      layers: request.link(`${path}/layers`),
      styles: request.link(`${path}/styles`),
      dateCreated: workspace.createdAt,
      dateModified: workspace.updatedAt,
    },
  }
}
