import type { Static } from 'typebox'
import { hiddenSecret } from '../../../catalog/index.ts'
import type { Dialect } from '../../../core/config/settings.ts'
import type { RunRecord, SourceData, SourceView } from '../../../sources/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { toSpecResponse } from '../importer/transform-response.ts'
import type { RunReply, SourceReply } from './bodies.ts'

export function sourcePath(name: string): string {
  return `/rest/sources/${encodeURIComponent(name)}`
}

/** Returns a source without its password. */
export function toSourceResponse(
  request: FastifyRequest,
  { source, state, runs }: SourceView,
  dialect: Dialect,
): Static<typeof SourceReply>['source'] {
  const { name, owner, settings, memory } = source
  const { data, transforms, ...rest } = settings
  const last = runs.open?.startedAt === undefined ? runs.last : runs.open
  return {
    name,
    href: request.link(sourcePath(name)),
    data: toDataResponse(data, source.sealedPassword !== ''),
    transforms: transforms.map((spec) => toSpecResponse(spec, dialect)),
    ...rest,
    owner,
    state,
    nextRun: nextRunOf({ source, runs }),
    lastRun: last === undefined ? null : toRunResponse(request, last),
    lastSuccess: memory.lastSuccess ?? null,
  }
}

function nextRunOf({ source, runs }: Pick<SourceView, 'source' | 'runs'>): string | null {
  const waiting = runs.open?.leaseOwner === undefined ? runs.open?.notBefore : undefined
  return waiting ?? (source.settings.enabled ? (source.nextRun ?? null) : null)
}

function toDataResponse(data: SourceData, hasPassword: boolean): { type: string } {
  const hidden = hasPassword ? { password: hiddenSecret } : {}
  if (data.type === 'database') {
    const { type, database, user, tls, ...place } = data.connection
    const passwd = hasPassword ? { passwd: hiddenSecret } : {}
    const tlsMode = tls === undefined ? {} : { 'SSL mode': tls }
    const parameters = { dbtype: type, database, ...place, user, ...passwd, ...tlsMode }
    return Object.assign({ type: data.type }, { parameters, tables: data.tables })
  }
  if (data.type === 'remote' || data.type === 'service') return { ...data, ...hidden }
  const { path, ...rest } = data
  return Object.assign({ ...rest }, { location: path })
}

export function toRunResponse(request: FastifyRequest, run: RunRecord): Static<typeof RunReply>['run'] {
  const { id, trigger, dueAt, startedAt, endedAt, outcome, attempts, importId, layers = [] } = run
  const { rows, changes, stopped, acceptedBy, code, message, notes, notBefore } = run
  const isWaiting = endedAt === undefined && run.leaseOwner === undefined
  return {
    id,
    trigger,
    due: dueAt,
    started: startedAt ?? null,
    ended: endedAt ?? null,
    outcome: outcome ?? null,
    attempts,
    nextAttempt: isWaiting ? notBefore : undefined,
    import: importId === undefined ? null : { id: importId, href: request.link(`/rest/imports/${importId}`) },
    version: layers[0]?.version ?? null,
    layers: layers.map(({ layer, version }) => {
      const path = `/rest/layers/${encodeURIComponent(layer)}`
      const changesHref = request.link(`${path}/versions/${version}`)
      return { name: layer, version, href: request.link(path), changesHref }
    }),
    rows: rows ?? null,
    changes: changes ?? null,
    stopped: stopped?.map(({ rule, limit, measured }) => ({ rule, limit, measured })),
    acceptedBy,
    code,
    message: message ?? null,
    notes: notes === undefined || notes.length === 0 ? undefined : notes,
  }
}
