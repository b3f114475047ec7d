import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import { makeRoles } from '../../support/monitoring-client.ts'
import { writePastImports } from '../../support/past-imports.ts'

const end = Date.parse('2026-06-01T00:00:00Z')
const past = 120

interface Past {
  imports: {
    id: number
    state: string
    created: string
    user?: string
    source?: { type: string; name?: string }
    layers: string[]
    tasks: Record<string, number>
    rowsLoaded: number
    messages: number
    message?: string
  }[]
  total: number
  offset: number
  counts: { states: Record<string, number>; users: Record<string, number> }
}

describe('the history of imports', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'terrane-history-'))
  const first = await createTestApp({ dataDir })
  await first.close()
  writePastImports(join(dataDir, 'terrane.sqlite'), { count: past, end })
  const server = await createTestApp({ dataDir })
  const roles = await makeRoles(server)
  after(() => server.close())
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  const get = async (query = '', headers: Record<string, string> = server.admin) => {
    const reply = await server.app.inject({ url: `/rest/import-history${query}`, headers })
    return { status: reply.statusCode, body: reply.json<Past & { code: string }>() }
  }
  const idsOf = async (query: string): Promise<number[]> =>
    (await get(query)).body.imports.map(({ id }) => id)

  it('tells what a list shows of each, the newest first, page by page', async () => {
    const { body } = await get()
    assert.deepEqual([body.total, body.offset, body.imports.length], [past, 0, 50])
    const [newest] = body.imports
    assert.deepEqual(newest, {
      id: 119,
      href: newest && `http://localhost:80/rest/imports/119`,
      state: 'COMPLETE_ERROR',
      created: '2026-05-31T23:59:00.000Z',
      changed: '2026-05-31T23:59:00.000Z',
      user: 'admin',
      workspace: 'default',
      source: { type: 'file', name: 'plan_119.gpkg' },
      layers: ['plan_119'],
      tasks: { ERROR: 1 },
      rowsLoaded: 9,
      rejected: 1,
      messages: 2,
      message: 'Row 119: a ring is not closed',
    })
    assert.deepEqual(body.counts, {
      states: { COMPLETE: 108, COMPLETE_ERROR: 12 },
      users: { admin: 80, jana: 40 },
    })
    const pages = await Promise.all([0, 50, 100].map((offset) => idsOf(`?offset=${offset}`)))
    assert.deepEqual(
      pages.flat(),
      Array.from({ length: past }, (_, at) => past - 1 - at),
    )
  })

  it('is narrowed by words in names and messages, state, creator and time', async () => {
    assert.deepEqual(await idsOf('?q=PLAN_77.gpkg'), [77])
    assert.deepEqual(await idsOf(`?q=${encodeURIComponent('row 19: ring')}`), [119, 19])
    assert.deepEqual(await idsOf(`?q=${encodeURIComponent('plän 118')}`), [118])
    assert.deepEqual(await idsOf('?q=nothing-like-that'), [])
    assert.deepEqual(await idsOf('?state=complete_error&user=jana&limit=3'), [99, 69, 39])
    assert.deepEqual(await idsOf('?from=2026-05-31T23:57:00Z&to=2026-05-31T23:59:00Z'), [118, 117])
    assert.deepEqual(await idsOf('?from=2026-06-01T01:58:30%2B02:00'), [119])
    assert.equal((await get('?user=nobody')).body.total, 0)
    for (const query of ['?state=odd', '?from=yesterday', '?to=2026-13-01', '?limit=201', '?offset=-1'])
      assert.equal((await get(query)).status, 400, query)
  })

  it('knows of every change at once, and is for staff', async () => {
    const { admin: headers } = server
    const made = await server.app.inject({ method: 'POST', url: '/rest/imports', headers, payload: {} })
    const { id } = made.json<{ import: { id: number } }>().import
    const [now] = (await get('?limit=1')).body.imports
    assert.deepEqual([now?.id, now?.state, now?.source], [id, 'PENDING', undefined])
    await server.app.inject({ method: 'DELETE', url: `/rest/imports/${id}`, headers })
    assert.equal((await get()).body.total, past)
    assert.equal((await get('', roles.user)).status, 403)
    assert.equal((await get('', {})).status, 401)
  })
})
