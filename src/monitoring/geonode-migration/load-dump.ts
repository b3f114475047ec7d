import type { ServiceType } from '../model/service-types.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { DumpError } from './errors.ts'
import { serviceTypeOf } from './geonode-names.ts'
import { findLoad, nextLoadId, publishHidden, sweepHidden } from './hidden-loads.ts'
import type { ImportedCheck } from './imported-checks.ts'
import { importedChecks } from './imported-checks.ts'
import type { ModelReport } from './load-report.ts'
import { Tally } from './load-report.ts'
import type { DumpPrivacy } from './metric-meaning.ts'
import type { ConfiguredService, PrepareCall } from './migration-data.ts'
import { readMonitoringDump } from './read-dump.ts'
import type { RecordedHere } from './recorded-here.ts'
import { neverRecorded, readRecordedHere } from './recorded-here.ts'
import type { StagedHost, StagedNamed, StagedService } from './stage-record.ts'
import { stageRecord } from './stage-record.ts'
import { Staging } from './staging.ts'
import { ValueTranslation } from './translate-values.ts'
import { writeDumpExceptions } from './write-exceptions.ts'
import { writeSeries } from './write-series.ts'

/** A service of the dump, in our words. */
export interface DumpService {
  hiddenId: number
  name: string
  type: ServiceType
  host: StagedHost
  checkIntervalSeconds: number
  notes: string
  url: string
}

/** Data that a load needs from the configuration before it can be published. */
export interface PreparedDumpLoad {
  digest: string
  /** Milliseconds since 1970; the same dump was loaded then, and nothing was written now. */
  loadedBefore?: number
  hosts: StagedHost[]
  services: DumpService[]
  checks: ImportedCheck[]
  models: ModelReport[]
}

export interface DumpLoadPlan extends PrepareCall {
  /** The dump, and the file for what is staged, which must not exist. */
  path: string
  stagingPath: string
  privacy: DumpPrivacy
  /** Receives the progress: bytes read, then rows written. */
  onProgress(phase: 'reading' | 'translating' | 'writing', done: number): void
}

const reportEvery = 5000
const unknownHost: StagedHost = { name: 'unknown', ip: '0.0.0.0' }

/** One load in a thread of its own: `prepare` writes hidden rows, `publish` makes them visible. */
export class DumpLoad {
  readonly #database: SeriesDatabase
  #loadId = 0
  #digest = ''

  constructor(database: SeriesDatabase) {
    this.#database = database
  }

  async prepare(plan: DumpLoadPlan): Promise<PreparedDumpLoad> {
    const staging = new Staging(plan.stagingPath)
    try {
      const tally = new Tally()
      this.#digest = await stageAll(plan, staging, tally)
      const before = await findLoad(this.#database, this.#digest)
      const common = { digest: this.#digest, models: [], hosts: [], services: [], checks: [] }
      if (before !== undefined) return { ...common, loadedBefore: before.loaded }
      return { ...common, ...(await this.#write(plan, staging, tally)) }
    } finally {
      staging.close()
    }
  }

  /** `services` are the ids that the services of the dump have here, by their hidden ids. */
  async publish(services: ReadonlyMap<number, number>, now: number): Promise<void> {
    const moves = [...services].map(([hiddenId, serviceId]) => ({ hiddenId, serviceId }))
    const load = { id: this.#loadId, digest: this.#digest, loaded: now }
    await publishHidden(this.#database, load, moves)
  }

  async #write(
    plan: DumpLoadPlan,
    staging: Staging,
    tally: Tally,
  ): Promise<Omit<PreparedDumpLoad, 'digest'>> {
    await sweepHidden(this.#database)
    this.#loadId = await nextLoadId(this.#database)
    const services = readServices(staging, tally)
    const hiddenIds = new Map(services.map(([pk, { hiddenId }]) => [pk, hiddenId]))
    const translation = new ValueTranslation(staging, tally, {
      keepAddress: plan.privacy.keepAddress,
      services: await this.#countedHere(services, plan.known),
    })
    translation.run(counted((done) => plan.onProgress('translating', done)))
    const target = {
      database: this.#database,
      loadId: this.#loadId,
      day: plan.day,
      hiddenServiceId: (service: string) => hiddenIds.get(service) ?? 0,
    }
    await writeSeries(
      staging,
      translation.resources,
      target,
      counted((done) => plan.onProgress('writing', done)),
    )
    await writeDumpExceptions(staging, tally, { ...target, privacy: plan.privacy })
    const hosts = [...staging.objects<StagedHost>('host')].map(([, host]) => host)
    tally.loaded('host', hosts.length)
    const checks = importedChecks(staging, tally)
    finishTally(tally)
    return { hosts, services: services.map(([, service]) => service), checks, models: tally.report() }
  }

  /** By the keys of the services in the dump. */
  async #countedHere(
    services: readonly [pk: string, service: DumpService][],
    known: readonly ConfiguredService[],
  ): Promise<Map<string, RecordedHere>> {
    const counted = new Map<string, RecordedHere>()
    for (const [pk, { name, type }] of services) {
      const own = known.find((one) => one.name === name && one.type === type)
      counted.set(pk, own === undefined ? neverRecorded : await readRecordedHere(this.#database, own.id))
    }
    return counted
  }
}

async function stageAll(plan: DumpLoadPlan, staging: Staging, tally: Tally): Promise<string> {
  const reader = readMonitoringDump(plan.path)
  const onRecord = counted(() => plan.onProgress('reading', reader.bytesRead()))
  let count = 0
  for await (const record of reader) {
    count += 1
    stageRecord(record, staging, tally)
    onRecord()
  }
  if (count === 0) throw new DumpError('The dump holds nothing of the monitoring application')
  return reader.digest()
}

function readServices(staging: Staging, tally: Tally): [pk: string, service: DumpService][] {
  const services: [string, DumpService][] = []
  for (const [pk, staged] of staging.objects<StagedService>('service')) {
    const type = serviceTypeOf(staging.find<StagedNamed>('servicetype', staged.type)?.name ?? '')
    if (type === undefined) {
      tally.skipped('service', 'its type is not known')
      continue
    }
    const host = staging.find<StagedHost>('host', staged.host) ?? unknownHost
    const { name, notes, url, checkInterval: checkIntervalSeconds } = staged
    const hiddenId = -1 - services.length
    services.push([pk, { hiddenId, name, type, host, checkIntervalSeconds, notes, url }])
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

function counted(tell: (done: number) => void): () => void {
  let count = 0
  return () => {
    count += 1
    if (count % reportEvery === 0) tell(count)
  }
}
