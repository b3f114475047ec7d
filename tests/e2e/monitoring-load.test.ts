import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createCatalogDatabase } from '../support/catalog-database.ts'
import { countValue, dumpObjects, dumpOf, dumpPath, dumpText } from '../support/older-dump.ts'
import type { Cleanup } from '../support/terrane-process.ts'
import { runTerrane, startTerrane, temporaryData } from '../support/terrane-process.ts'

const password = 'e2e-password'
const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
const minutes = '?valid_from=2021-07-01T10:00&valid_to=2021-07-01T10:04&interval=60'
const queries = [
  `request.count/${minutes}`,
  `request.count/${minutes}&group_by=resource`,
  `request.users/${minutes}&group_by=user`,
  `network.in/${minutes}`,
]

interface Server {
  url: string
  data: string
  stop(): Promise<void>
  get(path: string): Promise<unknown>
  load(file: string, ...more: string[]): ReturnType<typeof runTerrane>
}

async function serve(t: Cleanup, env: Record<string, string> = {}): Promise<Server> {
  const data = temporaryData(t)
  const settings = {
    TERRANE_DATA: data,
    TERRANE_PORT: '0',
    TERRANE_SAMPLE: 'off',
    TERRANE_ADMIN_PASSWORD: password,
    ...env,
  }
  const server = startTerrane(t, ['serve'], settings)
  const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
  return {
    url,
    data,
    stop: async () => {
      server.signal('SIGTERM')
      await server.ended
    },
    get: async (path) => {
      const answer = await fetch(`${url}/monitoring/api/${path}`, { headers: { authorization } })
      assert.equal(answer.status, 200)
      return answer.json()
    },
    load: (file, ...more) =>
      runTerrane(t, ['monitoring', 'load', file, '--url', url, ...more], { TERRANE_PASSWORD: password }),
  }
}

async function tellAll({ get }: Server): Promise<string[]> {
  const answers = await Promise.all(queries.map((query) => get(`metric_data/${query}`)))
  return answers.map((answer) => JSON.stringify(answer))
}

function hasValues(answer: string): boolean {
  return answer.includes('"val":')
}

const databases: Record<string, () => Promise<Record<string, string>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

for (const [name, makeDatabase] of Object.entries(databases)) {
  describe(`terrane monitoring load on ${name}`, () => {
    it('loads a dump into a running server, whose metric data tell it; again changes nothing', async (t) => {
      const server = await serve(t, await makeDatabase())
      assert.ok(!(await tellAll(server)).some(hasValues))
      const first = await server.load(dumpPath)
      assert.equal(first.code, 0, first.stdout + first.stderr)
      assert.match(first.stdout, /metricvalue +53 +42 +11\n/)
      assert.match(first.stdout, /metricvalue +4 +it counts nothing/)
      const after = await tellAll(server)
      assert.ok(after.every(hasValues), after.join('\n'))
      assert.match(after[0] ?? '', /"val":"18\.0000"/)

      const second = await server.load(dumpPath)
      assert.equal(second.code, 0, second.stderr)
      assert.match(second.stdout, /^This dump was loaded on \d{4}-.*: nothing was changed\n$/)
      const compressed = join(server.data, 'dump.json.gz')
      writeFileSync(compressed, gzipSync(dumpText))
      assert.match((await server.load(compressed)).stdout, /nothing was changed/)
      assert.deepEqual(await tellAll(server), after)
      await server.stop()
    })
  })
}

describe('terrane monitoring load', () => {
  it('tells what is wrong with a broken file, with code 1, and leaves nothing of it', async (t) => {
    const server = await serve(t)
    const before = JSON.stringify(await server.get('hosts/'))
    const broken = join(server.data, 'broken.json')
    writeFileSync(broken, dumpText.slice(0, 20_000))
    const { code, stdout, stderr } = await server.load(broken)
    assert.equal(code, 1)
    assert.match(stdout + stderr, /file: The dump ends within element \d+ of the dump/)
    assert.equal(JSON.stringify(await server.get('hosts/')), before)
    assert.ok(!(await tellAll(server)).some(hasValues))
    assert.deepEqual(
      readdirSync(server.data).filter((one) => one.startsWith('loading-')),
      [],
    )
    assert.equal((await server.load(join(server.data, 'none.json'))).code, 2)
    await server.stop()
  })

  it('prints the report as JSON, and starts a server by itself where none runs', async (t) => {
    const data = temporaryData(t)
    const settings = {
      TERRANE_DATA: data,
      TERRANE_PORT: '0',
      TERRANE_SAMPLE: 'off',
      TERRANE_ADMIN_PASSWORD: password,
    }
    const { code, stdout, stderr } = await runTerrane(t, ['monitoring', 'load', dumpPath, '--json'], settings)
    assert.equal(code, 0, stderr)
    const { data: report } = JSON.parse(stdout) as { data: { models: { model: string; loaded: number }[] } }
    assert.equal(report.models.find(({ model }) => model === 'metricvalue')?.loaded, 42)
  })

  it('leaves no address of a client in any file, and neither the dump', async (t) => {
    const server = await serve(t)
    const objects = dumpObjects()
    for (const { model, fields } of objects)
      if (model === 'monitoring.exceptionevent')
        fields.error_data = 'seen from 198.51.100.7 and 2001:db8:1:2::3'
    const path = join(temporaryData(t), 'dump.json')
    writeFileSync(path, JSON.stringify(objects))
    assert.equal((await server.load(path)).code, 0)
    await server.stop()
    const files = readdirSync(server.data, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    )
    assert.ok(files.some((one) => one.name === 'monitoring.sqlite'))
    for (const { parentPath, name: file } of files) {
      const bytes = readFileSync(join(parentPath, file))
      for (const address of ['198.51.100.7', '198.51.100.99', '2001:db8:1:2::3'])
        assert.ok(!bytes.includes(address), `${file} holds ${address}`)
    }
  })

  it('leaves nothing of an upload that breaks off, and takes the next', async (t) => {
    const server = await serve(t)
    const upload = request(`${server.url}/monitoring/api/load/`, {
      method: 'POST',
      headers: { authorization, 'content-length': dumpText.length },
    })
    upload.on('error', () => undefined)
    upload.write(dumpText.slice(0, 10_000))
    const phase = async (): Promise<unknown> =>
      ((await server.get('load/')) as { data: { phase: string | null } }).data.phase
    while ((await phase()) !== 'receiving') await wait(20)
    upload.destroy()
    while ((await phase()) !== null) await wait(20)
    assert.deepEqual(
      readdirSync(server.data).filter((one) => one.startsWith('loading-')),
      [],
    )
    assert.equal((await server.load(dumpPath)).code, 0)
    await server.stop()
  })

  it('loads 20,000 values while the server responds', async (t) => {
    const server = await serve(t)
    const values = Array.from({ length: 20_000 }, (_, index) => {
      const from = Date.parse('2021-01-01T00:00:00Z') + (index >> 1) * 60_000
      return countValue(1000 + index, 3, {
        valid_from: new Date(from).toISOString(),
        valid_to: new Date(from + 60_000).toISOString(),
        resource: index % 2 === 0 ? null : 2,
      })
    })
    const path = join(server.data, 'large.json')
    writeFileSync(path, dumpOf(values))
    const loading = server.load(path)
    await server.get('status/')
    const { code, stdout, stderr } = await loading
    assert.equal(code, 0, stderr)
    assert.match(stdout, /metricvalue +20,000 +20,000 +0\n/)
    const days = '?valid_from=2021-01-01&valid_to=2021-01-15&interval=86400&service=maps.example.org-geonode'
    const { data } = (await server.get(`metric_data/request.count/${days}`)) as {
      data: { data: { data: { val: string }[] }[] }
    }
    const sum = data.data.reduce((total, { data: rows }) => total + Number(rows[0]?.val ?? 0), 0)
    assert.equal(sum, 30_000)
    await server.stop()
  })
})
