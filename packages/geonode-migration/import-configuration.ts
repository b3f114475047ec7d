import type { ConfigurationTarget, NewService } from './import-target.ts'
import type { DumpService, PreparedImport } from './prepare-import.ts'
import type { ModelReport } from './tally.ts'

/** Result of `importConfiguration`. */
export interface ImportedConfiguration {
  /** Hidden id -> id in the target. */
  services: Map<number, number>
  /** Counts with the checks that were not created. */
  models: ModelReport[]
}

/** Finds or creates the hosts, services and checks of a prepared import. A service with the same name and type is the same. */
export async function importConfiguration(
  target: ConfigurationTarget,
  { hosts, services, checks, models }: Pick<PreparedImport, 'hosts' | 'services' | 'checks' | 'models'>,
): Promise<ImportedConfiguration> {
  for (const host of hosts) await findHostId(target, host)
  const ids = new Map<number, number>()
  for (const service of services) ids.set(service.hiddenId, await findServiceId(target, service))
  let duplicates = 0
  for (const { addresses, ...check } of checks)
    if (!(await target.checks.adopt(check, addresses))) duplicates += 1
  return { services: ids, models: withDuplicateChecks(models, duplicates) }
}

async function findHostId(
  { services }: Pick<ConfigurationTarget, 'services'>,
  { name, ip }: { name: string; ip: string },
): Promise<number> {
  return ((await services.findHostNamed(name)) ?? (await services.createHost({ name, ip }))).id
}

/** A new service is inactive: an administrator sets its source before activating it. */
async function findServiceId(
  target: Pick<ConfigurationTarget, 'services'>,
  service: DumpService,
): Promise<number> {
  const { services } = target
  const { name, type, host, checkIntervalSeconds, notes, url } = service
  const found = await services.find(name)
  if (found !== undefined && found.type === type) return found.id
  const created = await services.create({
    name: found === undefined ? name : await findFreeName(target, `${name}-${type}`),
    type,
    hostId: await findHostId(target, host),
    checkIntervalSeconds,
    notes,
    url,
    source: sourceOf(service),
    isActive: false,
  })
  return created.id
}

async function findFreeName(
  { services }: Pick<ConfigurationTarget, 'services'>,
  name: string,
): Promise<string> {
  let free = name
  for (let number = 1; (await services.find(free)) !== undefined; number += 1) free = `${name}-${number}`
  return free
}

function sourceOf({ type, url }: DumpService): NewService['source'] {
  if (type === 'mapserver' && /^https?:/.test(url)) return { kind: 'geoserver-monitor', url }
  if (type === 'hostmapserver' && /^https?:/.test(url)) return { kind: 'geoserver-status', url }
  return { kind: 'own' }
}

function withDuplicateChecks(models: ModelReport[], duplicates: number): ModelReport[] {
  if (duplicates === 0) return models
  return models.map((one) => {
    if (one.model !== 'notificationcheck') return one
    const skipped = [...one.skipped, { reason: 'a check of that name is there', count: duplicates }]
    return { ...one, loaded: one.loaded - duplicates, skipped }
  })
}
