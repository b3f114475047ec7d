import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { endpoints } from '../../../src/api/routes.ts'
import { isAudited, unaudited } from '../../../src/api/server/audit-actions.ts'
import { AuditSealer } from '../../../src/audit/index.ts'
import { deriveSealKey } from '../../../src/audit/seal-keys.ts'
import { basicAuth, createTestApp, type TestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { until } from '../../support/until.ts'
import { importPoints } from '../../support/versioned-layers.ts'

interface Entry {
  time: string
  user: string | null
  via: string
  action: string
  outcome: string
  resource: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  request: string | null
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

function clientOf(server: TestApp) {
  const send = (
    method: Method,
    url: string,
    payload?: object,
    headers: Record<string, string> = server.admin,
  ) => server.app.inject({ method, url, headers, ...(payload && { payload }) })
  const entries = async (query = ''): Promise<Entry[]> => {
    const reply = await send('GET', `/rest/audit?${query}`)
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.json<{ entries: Entry[] }>().entries
  }
  return { send, entries }
}

const password = 'otter granite umbrella'

describe('the audit log', () => {
  let server: TestApp
  let received = ''
  const receiver = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text
    })
  })
  before(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as { port: number }
    server = await createTestApp({ env: { TERRANE_AUDIT_SYSLOG: `tcp://127.0.0.1:${port}` } })
    await importPoints(server, { name: 'points' })
  })
  after(async () => {
    await server.close()
    receiver.close()
  })

  it('records changes with the state before and after, and no secret', async () => {
    const { send, entries } = clientOf(server)
    await send('POST', '/rest/security/users', { user: { name: 'anna', password, role: 'user' } })
    const changed = await send('PUT', '/rest/security/users/anna', { user: { role: 'staff', password } })
    const [change, create] = await entries('resource=/rest/security/users/anna&action=user')
    assert.equal(create?.action, 'user.create')
    assert.equal(change?.action, 'user.change')
    assert.deepEqual([change?.user, change?.via, change?.outcome], ['admin', 'password', 'done'])
    assert.equal(change?.before?.['role'], 'user')
    assert.equal(Object(change?.after?.['user']).role, 'staff')
    assert.equal(change?.request, changed.headers['x-request-id'])
    const token = await send('POST', '/rest/security/tokens', { token: { name: 'secret-holder' } })
    const csv = await send('GET', '/rest/audit?format=csv&limit=1000')
    assert.match(csv.body, /^time,user,via,address,action,outcome,resource,before,after,request\r\n/)
    assert.match(csv.body, /secret-holder/)
    assert.doesNotMatch(csv.body, new RegExp(token.json<{ token: { value: string } }>().token.value))
    assert.doesNotMatch(csv.body, /otter granite/)
  })

  it('records sign-ins, failed ones with the claimed name, and refused administration', async () => {
    const { send, entries } = clientOf(server)
    await send('POST', '/rest/security/session', { session: { name: 'nobody', password: 'x' } }, {})
    await send('GET', '/rest/workspaces', undefined, basicAuth('admin', 'wrong'))
    await send('DELETE', '/rest/security/users/admin', undefined, basicAuth('anna', password))
    const [refused] = await entries('user=anna&action=user.delete')
    assert.deepEqual([refused?.outcome, refused?.resource], ['refused', '/rest/security/users/admin'])
    const [asNobody] = await entries('user=nobody&action=sign-in')
    assert.equal(asNobody?.outcome, 'refused')
    const asAdmin = await entries('user=admin&action=sign-in')
    assert.deepEqual(asAdmin.map(({ outcome }) => outcome).toSorted(), ['done', 'refused'])
  })

  it('records an edit by the versions of its layer, without the feature', async () => {
    const { send, entries } = clientOf(server)
    const feature = {
      type: 'Feature',
      properties: { name: 'kept out of the log' },
      geometry: { type: 'Point', coordinates: [1, 2] },
    }
    const reply = await send('POST', '/ogc/collections/default:points/items', feature)
    assert.equal(reply.statusCode, 201, reply.body)
    const [edit] = await entries('resource=default:points&action=feature.create')
    const versions = [edit?.before, edit?.after].map((state) => Number(state?.['version']))
    assert.equal((versions[1] ?? 0) - (versions[0] ?? 0), 1)
    assert.doesNotMatch(JSON.stringify(await entries('limit=1000')), /kept out/)
  })

  it('is listed a page at a time, each entry once', async () => {
    const { send, entries } = clientOf(server)
    const all = await entries('limit=1000')
    assert.ok(all.length > 3, `${all.length} entries`)
    const paged: Entry[] = []
    let next: string | undefined
    do {
      const query = new URLSearchParams({ limit: '2', ...(next === undefined ? {} : { after: next }) })
      const reply = (await send('GET', `/rest/audit?${query}`)).json<{ entries: Entry[]; next?: string }>()
      paged.push(...reply.entries)
      next = reply.next
    } while (next !== undefined)
    assert.deepEqual(paged, all)
    const unknown = await send('GET', '/rest/audit?after=yesterday')
    assert.equal(unknown.statusCode, 400)
  })

  it('is for administrators, and refuses times that are none', async () => {
    const { send } = clientOf(server)
    assert.equal((await send('GET', '/rest/audit', undefined, basicAuth('anna', password))).statusCode, 403)
    assert.equal((await send('GET', '/rest/audit?from=yesterday')).statusCode, 400)
  })

  it('is sent to syslog in frames of RFC 6587 with messages of RFC 5424', async () => {
    await until(() => /user\.create/.test(received))
    const [, length = '', rest = ''] = /^(\d+) (.*)$/s.exec(received) ?? []
    const message = Buffer.from(rest).subarray(0, Number(length)).toString()
    assert.match(message, /^<10[89]>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ terrane \d+ \S+ - \{.*\}$/s)
  })

  it('cuts states of more than 16 KiB to their size, digest and names', async () => {
    const { send, entries } = clientOf(server)
    const document = JSON.stringify({ version: 8, name: 'x'.repeat(20_000), sources: {}, layers: [] })
    const made = await send('POST', '/rest/styles', { style: { name: 'long', format: 'maplibre', document } })
    assert.equal(made.statusCode, 201, made.body)
    await send('DELETE', '/rest/styles/long')
    const [removed] = await entries('action=style.delete')
    assert.ok((Object(removed?.before?.['truncated']) as { sizeBytes: number }).sizeBytes > 20_000)
  })
})

describe('every changing operation', () => {
  it('writes an entry, or has a reason why it changes nothing', () => {
    const changing = endpoints.filter(({ method }) => method !== 'GET' && method !== 'OPTIONS')
    for (const { id, method } of changing) {
      const request = { method, routeOptions: { config: { operation: { id } } } }
      const isRecorded = isAudited(request as never)
      assert.equal(isRecorded, unaudited[id] === undefined, id)
    }
    const ids = new Set(endpoints.map(({ id }) => id))
    for (const id of Object.keys(unaudited)) assert.ok(ids.has(id), `${id} is not an operation`)
  })
})

const catalogues = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

for (const [name, environment] of Object.entries(catalogues))
  describe(`the seals of the audit log over ${name}`, () => {
    let server: TestApp
    const key = deriveSealKey(new Uint8Array(32).fill(7))
    const clock = { now: () => new Date('2026-03-10T12:00:00Z') }
    before(async () => {
      server = await createTestApp({ env: await environment() })
      await fill()
    })
    after(() => server.close())

    const kysely = () => server.database.kysely
    const sealer = (keepDays = 365) =>
      new AuditSealer({ database: server.database, clock, log: silentLogger, keys: [key], keepDays })
    const insert = (day: string, user: string) =>
      kysely()
        .insertInto('audit_entries')
        .values({
          day,
          time: `${day}T10:00:00.000Z`,
          user_name: user,
          via: 'password',
          address: null,
          action: 'layer.change',
          outcome: 'done',
          resource: 'default:points',
          before: null,
          after: null,
          request: null,
        })
        .execute()
    /** Entries of two days, with an empty day between them. */
    const fill = async (): Promise<void> => {
      for (const [day, user] of [
        ['2026-03-05', 'anna'],
        ['2026-03-05', 'bert'],
        ['2026-03-07', 'anna'],
      ] as const)
        await insert(day, user)
    }
    /** Changes the log as an attacker with the rights of the database's owner can. */
    const withoutProtection = async (work: () => Promise<unknown>): Promise<void> => {
      const isSqlite = server.database.kind === 'sqlite'
      if (isSqlite)
        for (const trigger of ['unchanged', 'kept'])
          await sql`drop trigger if exists ${sql.ref(`audit_entries_${trigger}`)}`.execute(kysely())
      else await sql`alter table audit_entries disable trigger all`.execute(kysely())
      await work()
      if (!isSqlite) await sql`alter table audit_entries enable trigger all`.execute(kysely())
    }
    const problems = async () => (await sealer().verify()).problems.map(({ day, text }) => `${day}: ${text}`)

    it('cover each day that has ended, empty days too, and hold', async () => {
      await sealer().run()
      const rows = await kysely()
        .selectFrom('audit_seals')
        .select(['day', 'entries'])
        .orderBy('day')
        .execute()
      assert.deepEqual(
        rows.map(({ day, entries }) => [day, Number(entries)]),
        [
          ['2026-03-05', 2],
          ['2026-03-06', 0],
          ['2026-03-07', 1],
          ['2026-03-08', 0],
          ['2026-03-09', 0],
        ],
      )
      const { isIntact, entries } = await sealer().verify()
      assert.deepEqual([isIntact, entries], [true, 3])
      await sealer().run()
      assert.equal((await sealer().verify()).days, 5)
    })

    it('cannot be made stale by statements on entries: the database refuses them', async () => {
      await assert.rejects(
        kysely().updateTable('audit_entries').set({ user_name: 'eve' }).execute(),
        /cannot be changed/,
      )
      await assert.rejects(
        kysely().deleteFrom('audit_entries').where('day', '=', '2026-03-05').execute(),
        /kept until/,
      )
    })

    it('find an inserted entry', async () => {
      await insert('2026-03-06', 'eve')
      assert.match((await problems()).join(), /2026-03-06: 1 entries were inserted/)
      await withoutProtection(() =>
        kysely().deleteFrom('audit_entries').where('user_name', '=', 'eve').execute(),
      )
      assert.deepEqual(await problems(), [])
    })

    it('find a changed entry, and a missing one', async () => {
      const change = (from: string, to: string) =>
        withoutProtection(() =>
          kysely()
            .updateTable('audit_entries')
            .set({ user_name: to })
            .where('user_name', '=', from)
            .execute(),
        )
      await change('bert', 'eve')
      assert.match((await problems()).join(), /2026-03-05: An entry was changed/)
      await change('eve', 'bert')
      assert.deepEqual(await problems(), [])
    })

    it('outlive their entries: what is done to a day after its retention is found', async () => {
      await sealer(4).run()
      const left = await kysely()
        .selectFrom('audit_entries')
        .select('day')
        .where('day', '<', '2026-03-08')
        .execute()
      assert.deepEqual(
        left.map(({ day }) => day),
        ['2026-03-07'],
      )
      assert.deepEqual(await problems(), [])
      await insert('2026-03-05', 'eve')
      assert.match((await problems()).join(), /2026-03-05: 1 entries were inserted after the day had expired/)
      await kysely().deleteFrom('audit_entries').where('day', '=', '2026-03-05').execute()
      await kysely()
        .updateTable('audit_seals')
        .set({ expired_at: '2026-03-10T00:00:00Z', expiry_seal: '00' })
        .where('day', '=', '2026-03-07')
        .execute()
      await kysely().deleteFrom('audit_entries').where('day', '=', '2026-03-07').execute()
      assert.match((await problems()).join(), /2026-03-07: The day was marked as expired by another program/)
    })

    it('find a missing seal', async () => {
      await kysely().deleteFrom('audit_seals').where('day', '=', '2026-03-08').execute()
      assert.match((await problems()).join(), /2026-03-08: The seal of this day is missing/)
    })
  })
