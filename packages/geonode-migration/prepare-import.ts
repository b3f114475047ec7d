import { DumpError } from './dump-error.ts'
import type { ServiceType } from './geonode-names.ts'
import { findServiceType } from './geonode-names.ts'
import type { ImportProgress, SeriesTarget } from './import-target.ts'
import type { ImportedCheck } from './read-checks.ts'
import { readChecks } from './read-checks.ts'
import { readMonitoringDump } from './read-dump.ts'
import type { StagedHost, StagedNamed, StagedService } from './stage-record.ts'
import { stageRecord } from './stage-record.ts'
import { Staging } from './staging.ts'
import type { ModelReport } from './tally.ts'
import { Tally } from './tally.ts'
import type { TargetService } from './translate-values.ts'
import { ValueTranslation } from './translate-values.ts'
import { writeExceptions } from './write-exceptions.ts'

/** A service of the dump with the names of the target. */
export interface DumpService {
  /** Id of its hidden rows, below 0. */
  hiddenId: number
  name: string
  type: ServiceType
  host: StagedHost
  checkIntervalSeconds: number
  notes: string
  url: string
}

/** Content of a dump that the configuration needs before the import is published. */
export interface PreparedImport {
  digest: string
  /** Milliseconds since 1970; set if the same dump was imported then and nothing was written now. */
  importedBefore?: number
  hosts: StagedHost[]
  services: DumpService[]
  checks: ImportedCheck[]
  models: ModelReport[]
}

/** A service that exists in the target. */
export interface ConfiguredService {
  id: number
  name: string
  type: string
}

export interface PrepareOptions {
  /** The dump. */
  path: string
  /** File for the staged dump, which must not exist. */
  stagingPath: string
  /** Services of the target. Values of periods that it has recorded itself are skipped. */
  services: readonly ConfiguredService[]
  onProgress(progress: ImportProgress): void
}

const reportEvery = 5000
const unknownHost: StagedHost = { name: 'unknown', ip: '0.0.0.0' }

/** Reads a dump and writes its values and exceptions to hidden rows of the target. Throws `DumpError`. */
export async function prepareImport(target: SeriesTarget, options: PrepareOptions): Promise<PreparedImport> {
  const staging = new Staging(options.stagingPath)
  try {
    const tally = new Tally()
    const digest = await stageDump(options, staging, tally)
    const importedBefore = await target.findImport(digest)
    if (importedBefore !== undefined)
      return { digest, importedBefore, models: [], hosts: [], services: [], checks: [] }
    return { digest, ...(await writeHidden(target, options, staging, tally)) }
  } finally {
    staging.close()
  }
}

async function writeHidden(
  target: SeriesTarget,
  options: PrepareOptions,
  staging: Staging,
  tally: Tally,
): Promise<Omit<PreparedImport, 'digest'>> {
  await target.begin()
  const report = (phase: ImportProgress['phase']) => everyRows((done) => options.onProgress({ phase, done }))
  const services = readServices(staging, tally)
  const targetServices = await findTargetServices(target, services, options.services)
  const translation = new ValueTranslation(staging, tally, { target, services: targetServices })
  translation.run(report('translating'))
  await target.writePeriods(translation.periods(report('writing')))
  const hiddenIds = new Map([...services].map(([pk, { hiddenId }]) => [pk, hiddenId]))
  await writeExceptions(target, staging, tally, hiddenIds)
  const hosts = [...staging.objects<StagedHost>('host')].map(([, host]) => host)
  tally.loaded('host', hosts.length)
  const checks = readChecks(target, staging, tally)
  finishTally(tally)
  return { hosts, services: [...services.values()], checks, models: tally.report() }
}

/** Finds the periods that the target has recorded itself. The keys are those of the dump. */
async function findTargetServices(
  target: SeriesTarget,
  services: ReadonlyMap<string, DumpService>,
  configured: readonly ConfiguredService[],
): Promise<Map<string, TargetService>> {
  const found = new Map<string, TargetService>()
  for (const [pk, { hiddenId, name, type }] of services) {
    const id = configured.find((one) => one.name === name && one.type === type)?.id
    const recorded = id === undefined ? { overlaps: () => false } : await target.readRecordedPeriods(id)
    found.set(pk, { hiddenId, recorded })
  }
  return found
}

async function stageDump(
  { path, onProgress }: PrepareOptions,
  staging: Staging,
  tally: Tally,
): Promise<string> {
  const reader = readMonitoringDump(path)
  const onRecord = everyRows(() => onProgress({ phase: 'reading', done: reader.bytesRead() }))
  let count = 0
  for await (const record of reader) {
    count += 1
    stageRecord(record, staging, tally)
    onRecord()
  }
  if (count === 0) throw new DumpError('The dump holds nothing of the monitoring application')
  return reader.digest()
}

/** Returns the services by their keys. */
function readServices(staging: Staging, tally: Tally): Map<string, DumpService> {
  const services = new Map<string, DumpService>()
  for (const [pk, staged] of staging.objects<StagedService>('service')) {
    const type = findServiceType(staging.find<StagedNamed>('servicetype', staged.type)?.name ?? '')
    if (type === undefined) {
      tally.skipped('service', 'its type is not known')
      continue
    }
    const host = staging.find<StagedHost>('host', staged.host) ?? unknownHost
    const { name, notes, url, checkInterval: checkIntervalSeconds } = staged
    const hiddenId = -1 - services.size
    services.set(pk, { hiddenId, name, type, host, checkIntervalSeconds, notes, url })
    tally.loaded('service')
  }
  return services
}

/** Objects that are only referenced count as loaded if something refers to them. */
function finishTally(tally: Tally): void {
  for (const model of ['servicetype', 'metric', 'servicetypemetric', 'eventtype', 'owsservice'])
    tally.skipped(model, 'they are fixed here', tally.openCount(model))
  for (const model of ['monitoredresource', 'metriclabel']) tally.loaded(model, tally.openCount(model))
  tally.skipped(
    'requestevent',
    'their counts are in the values; only exceptions show them',
    tally.openCount('requestevent'),
  )
}

/** Returns a function that reports its number of calls every 5,000 calls. */
function everyRows(report: (done: number) => void): () => void {
  let count = 0
  return () => {
    count += 1
    if (count % reportEvery === 0) report(count)
  }
}
