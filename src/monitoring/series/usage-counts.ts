import { noneLabel } from '../metrics/metrics.ts'
import type { RequestColumn } from '../metrics/requests/request-metric.ts'
import type { UsageClass } from '../model/event-types.ts'
import { dataClasses, investigationClasses, usageClasses } from '../model/event-types.ts'
import { DemandRow } from './demand-row.ts'
import { hashText } from './distinct-sketch.ts'
import { CounterUse } from './double-clicks.ts'
import type { RequestBlock } from './request-block.ts'
import type { UsedResource } from './request-event.ts'
import { anonymousUser } from './request-event.ts'
import { toTimeUnits } from './time-tally.ts'
import { isScript, programOf } from './usage-programs.ts'
import type { AccessMethod } from './usage-row.ts'
import { UsageRow, usageCells } from './usage-row.ts'

/** Scopes of usage, each with its number in stored rows, which is never reassigned. */
export const usageScopes = {
  all: 0,
  resource: 1,
  workspace: 2,
  owner: 3,
  country: 4,
  program: 5,
  referrer: 6,
} as const
/** One of `usageScopes`. */
export type UsageScope = keyof typeof usageScopes

/** Scopes whose rows have times by cell. */
const cellScopes: readonly UsageScope[] = ['all', 'resource']

/** Cell value of a request whose area is too large to be assigned to cells. */
export const wideArea = '*'

/** The requests of one service, day and key. */
export interface CountedUsage {
  serviceId: number
  /** Start of the day, in seconds since 1970. */
  day: number
  scope: UsageScope
  /** Resource of the scope `resource`. */
  resource: UsedResource | undefined
  /** Label of scopes by label; empty for the others. */
  label: string
  row: UsageRow
  /** Requested areas, for layers that have some. */
  demand: DemandRow | undefined
}

interface BlockDay {
  serviceId: number
  day: number
  /** Start of the minute, in seconds since the start of the day. */
  second: number
  /** Qualified names of layers by their names without a workspace. */
  aliases: ReadonlyMap<string, string>
}

/** Facts of a request that all rows use. */
interface RequestFacts {
  cell: number
  isDelivered: boolean
  /** True for a response with a status that COUNTER counts (section 10.1): complete or unchanged contents. */
  isCounted: boolean
  isError: boolean
  isNamed: boolean
  class: UsageClass
  bytes: number
  /** Response time in the unit of `toTimeUnits`; negative if unknown. */
  time: number
  firstByteTime: number
  visitor: number | undefined
  second: number
  /** Undefined for a robot. */
  method: AccessMethod | undefined
}

/** Counts requests by day and by everything that `usageScopes` names. */
export class UsageCounts {
  readonly #usage = new Map<string, CountedUsage>()

  /** Adds the requests of one minute of a service. */
  add(block: RequestBlock, blockDay: BlockDay): void {
    const facts = readFacts(block, blockDay)
    const { texts, uses, resources } = block
    const bySet = lazy((set) => this.#ofResources(blockDay, resources.values[set] ?? []))
    const byCountry = lazy((at) => this.#ofLabel(blockDay, 'country', texts.country.values[at]))
    const byProgram = lazy((at) =>
      this.#ofLabel(blockDay, 'program', programOf(texts.userAgentFamily.values[at])),
    )
    const byReferrer = lazy((at) => this.#ofLabel(blockDay, 'referrer', uses.referrer.values[at]))
    const areas = block.uses.area.values.map(cellsOf)
    for (let at = 0; at < block.count; at += 1) {
      const request = facts(at)
      const layers = bySet(resources.indexes?.[at] ?? 0)
      for (const { row } of layers) addRequest(row, request)
      addRequest(byCountry(texts.country.indexes?.[at] ?? 0).row, request)
      addRequest(byProgram(texts.userAgentFamily.indexes?.[at] ?? 0).row, request)
      addRequest(byReferrer(uses.referrer.indexes?.[at] ?? 0).row, request)
      const area = areas[block.uses.area.indexes?.[at] ?? 0]
      if (area !== undefined && request.isDelivered) addDemand(layers, area, request.visitor)
    }
  }

  all(): CountedUsage[] {
    return [...this.#usage.values()]
  }

  /** Returns the rows for all requests, for each resource, and for each workspace and owner of its layers. */
  #ofResources(blockDay: BlockDay, used: readonly UsedResource[]): CountedUsage[] {
    const resources = new Map<string, UsedResource>()
    for (const one of used) {
      const name = one.type === 'layer' ? (blockDay.aliases.get(one.name) ?? one.name) : one.name
      resources.set(`${one.type}=${name}`, { ...one, name })
    }
    const layers = [...resources.values()].filter(({ type }) => type === 'layer')
    const workspaces = new Set(layers.map(({ name }) => workspaceOf(name)))
    const owners = new Set(layers.flatMap(({ owner }) => owner ?? []))
    return [
      this.#find(blockDay, 'all', undefined, ''),
      ...[...resources.values()].map((one) => this.#find(blockDay, 'resource', one, '')),
      ...[...workspaces].map((name) => this.#find(blockDay, 'workspace', undefined, name)),
      ...[...owners].map((name) => this.#find(blockDay, 'owner', undefined, name)),
    ]
  }

  #ofLabel(blockDay: BlockDay, scope: UsageScope, label: string | null | undefined): CountedUsage {
    return this.#find(blockDay, scope, undefined, label ?? noneLabel)
  }

  #find(
    { serviceId, day }: BlockDay,
    scope: UsageScope,
    resource: UsedResource | undefined,
    label: string,
  ): CountedUsage {
    const name = resource === undefined ? label : `${resource.type}=${resource.name}=${resource.owner ?? ''}`
    const key = `${serviceId} ${day} ${scope} ${name}`
    const known = this.#usage.get(key)
    if (known !== undefined) return known
    const row = new UsageRow({ hasCommonTimes: !cellScopes.includes(scope) })
    const isLayer = resource?.type === 'layer'
    if (isLayer) row.counter = { regular: new CounterUse(), machine: new CounterUse() }
    const counted = { serviceId, day, scope, resource, label, row }
    const usage: CountedUsage = { ...counted, demand: isLayer ? new DemandRow() : undefined }
    this.#usage.set(key, usage)
    return usage
  }
}

function workspaceOf(layer: string): string {
  const colon = layer.indexOf(':')
  return colon > 0 ? layer.slice(0, colon) : noneLabel
}

/** Calls `make` once for each index. */
function lazy<T>(make: (at: number) => T): (at: number) => T {
  const made: (T | undefined)[] = []
  return (at) => {
    const known = made[at]
    if (known !== undefined) return known
    const one = make(at)
    made[at] = one
    return one
  }
}

/** Returns a function that reads single requests of a block; it returns the same object each time. */
function readFacts(block: RequestBlock, { second }: BlockDay): (at: number) => RequestFacts {
  const { texts, uses, statuses, sizes, milliseconds, firstByteMilliseconds, offsets } = block
  const classes = block.uses.usageClass.values.map(classOf)
  const visitors = texts.visitor.values.map((value) => (value === null ? undefined : hashText(value)))
  const scripts = texts.userAgentFamily.values.map(isScript)
  const read = <T>(column: RequestColumn<unknown>, values: readonly T[], at: number): T | undefined =>
    values[column.indexes?.[at] ?? 0]
  const facts: RequestFacts = {
    cell: 0,
    isDelivered: false,
    isCounted: false,
    isError: false,
    isNamed: false,
    class: 'other',
    bytes: 0,
    time: -1,
    firstByteTime: -1,
    visitor: undefined,
    second: 0,
    method: undefined,
  }
  return (at) => {
    const isRobot = read(uses.kind, uses.kind.values, at) === 'robots'
    const isOwn = read(uses.network, uses.network.values, at) === 'own'
    const user = read(texts.userName, texts.userName.values, at) ?? anonymousUser
    facts.cell = isRobot
      ? isOwn
        ? usageCells.ownRobots
        : usageCells.outsideRobots
      : isOwn
        ? usageCells.ownPeople
        : usageCells.outsidePeople
    facts.isError = (read(texts.errorType, texts.errorType.values, at) ?? null) !== null
    const status = read(statuses, statuses.values, at) ?? 0
    facts.isDelivered =
      !facts.isError && isSuccess(status) && isDelivery(read(texts.method, texts.method.values, at) ?? '')
    facts.isCounted = facts.isDelivered && (status === 200 || status === 304)
    facts.isNamed = user !== anonymousUser
    facts.class = read(block.uses.usageClass, classes, at) ?? 'other'
    facts.bytes = sizes[at] ?? 0
    facts.time = unitsOf(milliseconds[at])
    facts.firstByteTime = unitsOf(firstByteMilliseconds[at])
    facts.visitor = read(texts.visitor, visitors, at)
    facts.second = second + Math.floor((offsets[at] ?? 0) / 1000)
    facts.method = isRobot
      ? undefined
      : read(texts.userAgentFamily, scripts, at) === true
        ? 'machine'
        : 'regular'
    return facts
  }
}

function unitsOf(milliseconds = Number.NaN): number {
  return Number.isNaN(milliseconds) ? -1 : toTimeUnits(milliseconds)
}

function isSuccess(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304
}

function isDelivery(method: string): boolean {
  return method === 'GET' || method === 'POST'
}

function classOf(name: string | null): UsageClass {
  return usageClasses.find((one) => one === name) ?? 'other'
}

/** Returns the cells of an area; undefined if the area is unknown, empty for a wide area. */
function cellsOf(area: string | null): number[] | undefined {
  if (area === null) return undefined
  return area === wideArea ? [] : area.split(',').map(Number)
}

function addRequest(row: UsageRow, facts: RequestFacts): void {
  const cell = row.cell(facts.cell)
  const count = row.classCount(facts.class)
  cell.requests += 1
  count.requests += 1
  cell.bytes += facts.bytes
  if (facts.isDelivered) {
    cell.delivered += 1
    count.delivered += 1
  }
  if (facts.isError) cell.errors += 1
  if (facts.isNamed) row.named += 1
  if (facts.second > row.lastUse) row.lastUse = facts.second
  if (facts.time >= 0) cell.times.total.add(facts.time)
  if (facts.firstByteTime >= 0) cell.times.firstByte.add(facts.firstByteTime)
  if (facts.visitor !== undefined) cell.visitors.add(facts.visitor)
  if (row.counter !== undefined && facts.isCounted && facts.method !== undefined)
    addToCounter(row.counter[facts.method], facts)
}

function addToCounter(use: CounterUse, { class: name, visitor, second }: RequestFacts): void {
  if (investigationClasses.includes(name)) use.add(visitor, second, dataClasses.includes(name))
}

function addDemand(
  layers: readonly CountedUsage[],
  cells: readonly number[],
  visitor: number | undefined,
): void {
  for (const { demand } of layers) {
    if (cells.length === 0 && demand !== undefined) demand.wide += 1
    else demand?.add(cells, visitor)
  }
}
