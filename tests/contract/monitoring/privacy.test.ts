import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { failQueries } from '../../support/failed-request.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { databases } from '../../support/monitoring-client.ts'
import { readTree } from '../../support/read-tree.ts'
import { requestLogOf } from '../../support/request-log.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const start = '2026-11-21T12:00:10Z'
const v4 = '203.0.113.77'
const v6 = '2001:db8:aa:bb::77'
const v6Bytes = Buffer.from('20010db800aa00bb0000000000000077', 'hex')
const logged = '198.51.100.78'
const secret = 'hush-hush-token'

/** Returns the values that must not be found, by their encoding. */
function needles(): Map<string, Buffer> {
  const found = new Map<string, Buffer>()
  for (const address of [v4, logged]) {
    const bytes = Buffer.from(address.split('.').map(Number))
    found.set(`${address} in binary`, bytes)
    found.set(
      `${address} in IPv6`,
      Buffer.from(`::ffff:${bytes.toString('hex', 0, 2)}:${bytes.toString('hex', 2)}`),
    )
  }
  for (const text of [v4, v6, logged, secret, '2001:0db8:00aa:00bb']) found.set(text, Buffer.from(text))
  found.set(`${v6} in binary`, v6Bytes)
  return found
}

/**
 * Returns the values found in the bytes, either as they are or as hexadecimal digits, the form of binary
 * columns in a dump.
 */
function leaks(bytes: Buffer, isDump: boolean): string[] {
  const text = isDump ? bytes.toString('latin1').toLowerCase() : ''
  return [...needles()].flatMap(([name, needle]) => {
    const isPlain = isDump && name.endsWith('in binary') ? false : bytes.includes(needle)
    const isHex = isDump && text.includes(needle.toString('hex'))
    return isPlain || isHex ? [name] : []
  })
}

interface StoredFile {
  name: string
  bytes: Buffer
  isDump: boolean
}

/** The catalogue without the audit log, which has addresses on purpose and is not a part of monitoring. */
function catalogueWithoutAudit(dataDir: string): Buffer {
  const copy = join(dataDir, 'copy-of-the-catalogue')
  const catalogue = new DatabaseSync(join(dataDir, 'terrane.sqlite'), { readOnly: true, timeout: 60_000 })
  catalogue.prepare('vacuum into ?').run(copy)
  catalogue.close()
  const database = new DatabaseSync(copy)
  database.exec('drop trigger audit_entries_kept; delete from audit_entries; vacuum')
  database.close()
  const bytes = readFileSync(copy)
  rmSync(copy)
  return bytes
}

/** Every byte that a server has stored. */
function everythingOf(app: TestApp, databaseUrl: string | undefined): StoredFile[] {
  const all = readTree(app.dataDir).map((file) => ({ ...file, isDump: false }))
  if (databaseUrl === undefined) {
    const files = all.filter(({ name }) => !/terrane\.sqlite/.test(name))
    return [...files, { name: 'catalogue', bytes: catalogueWithoutAudit(app.dataDir), isDump: false }]
  }
  const files = all
  const options = ['--exclude-table-data', 'audit_entries', '--dbname', databaseUrl]
  const dump = execFileSync('pg_dump', options, { maxBuffer: 2 ** 28 })
  return [...files, { name: 'dump', bytes: dump, isDump: true }]
}

/**
 * Sends requests with known addresses in every place for an address, and watches a log of another server with
 * one.
 */
async function browse(test: TestContext, app: TestApp): Promise<void> {
  const send = (address: string, url: string, headers: Record<string, string> = {}) =>
    app.app.inject({
      url,
      remoteAddress: '127.0.0.1',
      headers: {
        'x-forwarded-for': address,
        'x-real-ip': address,
        forwarded: `for="${address}"`,
        referer: `http://${address}/?token=${secret}`,
        'user-agent': `Browser of ${address}`,
        cookie: `terrane_session=${secret}`,
        host: `${address}.maps.example`,
        ...headers,
      },
    })
  for (const address of [v4, v6, `::ffff:${v4}`]) {
    await send(address, `/of/${address}/x?client=${address}&token=${secret}`)
    await send(address, `/ogc/collections/${address}/items?key=${secret}`)
    await send(address, `/ogc/collections?key=${secret}`, app.admin)
  }
  const failure = (): Error => new Error(`No answer for ${v4} and ${v6}, password=${secret}`)
  await failQueries(test, app, failure, () => send(v4, `/ogc/collections?key=${secret}`))
  app.events.emit('exception.caught', {
    error: new Error(`Sent to http://me:${secret}@${v6}/`),
    where: 'a job',
  })
}

/** Watches the access log of another server, which contains the address. */
async function watchLog(test: TestContext, app: TestApp): Promise<void> {
  const path = join(temporaryData(test), 'access.log')
  const line = `${logged} - - [21/Nov/2026:12:00:05 +0000] "GET /geoserver/ows?service=WMS&request=GetMap&layers=a&token=${secret} HTTP/1.1" 200 10 "http://${logged}/" "Viewer of ${logged}"\n`
  writeFileSync(path, line)
  const [host] = await app.services.listHosts()
  await app.services.create({
    name: 'maps-mapserver',
    type: 'mapserver',
    hostId: host?.id ?? 0,
    url: '',
    notes: '',
    isActive: true,
    checkIntervalSeconds: 60,
    source: { kind: 'log', path },
  })
}

async function run(test: TestContext, env: Record<string, string>): Promise<TestApp> {
  const clock = fixedClock(start)
  const settings = { TERRANE_MONITORING: 'on', TERRANE_TRUSTED_PROXIES: '127.0.0.1' }
  const app = await createTestApp({ env: { ...settings, ...env }, clock })
  test.after(() => app.close())
  await watchLog(test, app)
  await browse(test, app)
  await app.monitoring?.catchUp()
  clock.advance(60_000)
  await app.monitoring?.catchUp()
  assert.deepEqual(app.monitoring?.health().problems, [])
  return app
}

describe('privacy of what monitoring stores', () => {
  for (const [name, envOf] of Object.entries(databases)) {
    for (const privacy of ['truncated', 'none']) {
      it(`leaves no address, query or secret in any byte on ${name}, mode ${privacy}`, async (test) => {
        const env = await envOf()
        const app = await run(test, { ...env, TERRANE_PRIVACY: privacy })
        const found = everythingOf(app, env.TERRANE_DATABASE_URL)
        assert.ok(found.some(({ bytes }) => bytes.includes('request') || bytes.includes('monitoring')))
        for (const { name: file, bytes, isDump } of found) assert.deepEqual(leaks(bytes, isDump), [], file)
      })
    }

    it(`finds addresses where they may be kept on ${name}, mode full: the search works`, async (test) => {
      const env = await envOf()
      const app = await run(test, { ...env, TERRANE_PRIVACY: 'full' })
      const found = everythingOf(app, env.TERRANE_DATABASE_URL).flatMap(({ bytes, isDump }) =>
        leaks(bytes, isDump),
      )
      assert.deepEqual([...new Set(found)].filter((one) => !one.includes('in ')).sort(), [logged, v6, v4])
    })
  }

  it('keeps the network of an address by default, and nothing in mode none', async (test) => {
    for (const [privacy, kept] of [
      ['truncated', ['198.51.100.0', '2001:db8:aa::', '203.0.113.0']],
      ['none', []],
    ] as const) {
      const app = await run(test, { TERRANE_PRIVACY: privacy })
      const addresses = (await requestLogOf(app)).flatMap(({ texts }) => texts.clientIp ?? [])
      assert.deepEqual([...new Set(addresses)].sort(), kept)
    }
  })

  it('forgets the salt of a day a day later, in every byte of the file', async (test) => {
    const clock = fixedClock(start)
    const app = await createTestApp({ env: { TERRANE_MONITORING: 'on' }, clock })
    test.after(() => app.close())
    await app.app.inject({ url: '/x', remoteAddress: v4 })
    await app.monitoring?.catchUp()
    const database = new DatabaseSync(join(app.dataDir, 'monitoring.sqlite'), { readOnly: true })
    const row = database.prepare('select salt from monitoring_salts').get() ?? assert.fail('no salt')
    database.close()
    const salt = String(row.salt)
    const isKept = () => everythingOf(app, undefined).some(({ bytes }) => bytes.includes(salt))
    assert.ok(isKept())
    clock.advance(86_400_000)
    await app.monitoring?.tick()
    assert.ok(isKept(), 'late lines of yesterday need it')
    clock.advance(86_400_000)
    await app.monitoring?.tick()
    assert.ok(!isKept())
  })
})
