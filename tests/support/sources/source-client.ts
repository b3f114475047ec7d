import assert from 'node:assert/strict'
import type { TestApp } from '../app.ts'
import { until } from '../until.ts'

export interface ShownRun {
  id: number
  trigger: string
  due: string
  outcome: string | null
  attempts: number
  nextAttempt?: string
  import: { id: number; href: string } | null
  version: number | null
  rows: number | null
  changes: { added: number; changed: number | null; removed: number } | null
  message: string | null
  code?: string
  notes?: string[]
  stopped?: { rule: string }[]
  acceptedBy?: string
}

export interface ShownSource {
  name: string
  state: string
  nextRun: string | null
  lastRun: ShownRun | null
  data: Record<string, unknown>
}

interface Called {
  payload?: object
  status?: number
  headers?: Record<string, string>
}

/** Calls `/rest/sources` of an app in this process, whose clock the test moves. */
export class SourceClient {
  readonly #app: TestApp

  constructor(app: TestApp) {
    this.#app = app
  }

  async request<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, called: Called = {}): Promise<T> {
    const { payload, status = 200, headers = this.#app.admin } = called
    const answer = await this.#app.app.inject({ method, url: path, payload, headers })
    assert.equal(answer.statusCode, status, answer.body)
    return (answer.body === '' ? {} : answer.json()) as T
  }

  async create(source: object, status = 201): Promise<string> {
    return JSON.stringify(await this.request('POST', '/rest/sources', { payload: { source }, status }))
  }

  async change(name: string, source: object, status = 200): Promise<void> {
    await this.request('PUT', `/rest/sources/${name}`, { payload: { source }, status })
  }

  async show(name: string): Promise<ShownSource> {
    return (await this.request<{ source: ShownSource }>('GET', `/rest/sources/${name}`)).source
  }

  async runs(name: string): Promise<ShownRun[]> {
    return (await this.request<{ runs: ShownRun[] }>('GET', `/rest/sources/${name}/runs?limit=1000`)).runs
  }

  /** Runs a source now and returns the ended run. */
  async run(name: string, payload: object = {}): Promise<ShownRun> {
    const path = `/rest/sources/${name}/run`
    const { run } = await this.request<{ run: ShownRun }>('POST', path, { payload, status: 202 })
    await this.settle(name)
    const found = (await this.runs(name)).find(({ id }) => id === run.id)
    assert.ok(found !== undefined)
    return found
  }

  /** Starts what is due and returns when no run of the source executes or is due. */
  async settle(name: string): Promise<ShownRun[]> {
    let runs: ShownRun[] = []
    await until(async () => {
      await this.#app.sources.tick()
      await this.#app.sources.settled()
      await this.#app.sources.tick()
      const now = this.#app.clock.now().toISOString()
      runs = await this.runs(name)
      return runs.every(
        ({ outcome, nextAttempt }) => outcome !== null || (nextAttempt !== undefined && nextAttempt > now),
      )
    })
    return runs
  }

  /** Version of a layer. */
  async version(layer: string): Promise<number> {
    return (await this.request<{ layer: { version: number } }>('GET', `/rest/layers/${layer}`)).layer.version
  }

  /** Attribute of each feature of a layer, sorted. */
  async values(layer: string, name: string): Promise<unknown[]> {
    const path = `/ogc/collections/default:${layer}/items?limit=10000&f=json`
    const { features } = await this.request<{ features: { properties: Record<string, unknown> }[] }>(
      'GET',
      path,
    )
    return features.map(({ properties }) => properties[name]).sort()
  }
}

/** A GeoJSON collection of points with the attributes `gid` and `name`. */
export function points(rows: readonly [gid: number, name: string][]): string {
  return JSON.stringify({
    type: 'FeatureCollection',
    features: rows.map(([gid, name]) => ({
      type: 'Feature',
      properties: { gid, name },
      geometry: { type: 'Point', coordinates: [13 + gid / 1000, 52] },
    })),
  })
}
