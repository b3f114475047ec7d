import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '../../../bench/random.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { Listed, ListedLayer } from '../../support/listed-layers.ts'
import { ask, listLayers, namesOf } from '../../support/listed-layers.ts'
import { databases, makeRoles } from '../../support/monitoring-client.ts'
import { until } from '../../support/until.ts'
import { importPoints } from '../../support/versioned-layers.ts'

async function start(
  test: TestContext,
  env: () => Promise<Record<string, string>>,
  clock = fixedClock('2026-11-21T12:00:00Z'),
): Promise<TestApp> {
  const server = await createTestApp({ env: await env(), clock })
  test.after(() => server.close())
  return server
}

const attribute = (name: string) => ({ name, type: 'text' as const })
const table = { schema: { attributes: [attribute('code')], geometry: undefined } }

/** Layers of all kinds whose words overlap. */
function drawLayers(seed: number, count: number): ListedLayer[] {
  const draw = seededRandom(seed)
  const pick = <T>(...all: T[]): T => all[Math.floor(draw() * all.length)] as T
  return Array.from({ length: count }, (_, index) => {
    const title = `${pick('Straßen', 'Bäume', 'Rivers', 'bäume')} ${pick('Köln', 'of Oslo', '')} ${index % 7}`
    const kind = pick('vector', 'vector', 'raster', 'table')
    return {
      workspace: pick('city', 'county', 'state'),
      name: `${pick('road', 'tree', 'water')}_${index}`,
      ...pick({}, { isPublic: true }, { isPublic: false }),
      ...pick({}, { rows: 0 }, { rows: Math.floor(draw() * 1000) }),
      details: {
        title,
        ...(kind === 'raster' ? { kind } : {}),
        ...(kind === 'table' ? table : {}),
        ...pick<object>({}, { keywords: ['Forst', 'Überblick'] }),
        ...pick<object>({}, { abstract: 'Alles über die Straßen' }),
      },
    }
  })
}

for (const [database, environment] of Object.entries(databases)) {
  describe(`the list of layers on ${database}`, () => {
    it('finds by name, title, keywords, columns and abstract, whatever case and accents', async (test) => {
      const server = await start(test, environment)
      const schema = { attributes: [attribute('Höhe_üNN'), attribute('POP90_SQMI')], geometry: undefined }
      await listLayers(server, [
        { workspace: 'a', name: 'straßen', details: { title: 'Wege' } },
        { workspace: 'a', name: 'strassenbau', details: { title: 'Ämter der STRASSEN' } },
        { workspace: 'b', name: 'other', details: { title: 'Zzz', keywords: ['Straße', 'Verkehr'] } },
        { workspace: 'b', name: 'columns', details: { title: 'Columns', schema } },
        { workspace: 'b', name: 'told', details: { title: 'Told', abstract: '東京 and Strasse' } },
      ])
      assert.deepEqual(await namesOf(server, 'q=strassen'), ['straßen', 'strassenbau'])
      assert.deepEqual(await namesOf(server, 'q=STRASS'), ['strassenbau', 'straßen', 'told', 'other'])
      assert.deepEqual(await namesOf(server, 'q=hohe+pop90'), ['columns'])
      assert.deepEqual(await namesOf(server, `q=${encodeURIComponent('東京')}`), ['told'])
      assert.deepEqual(await namesOf(server, 'q=verkehr%20amt'), [])
      assert.deepEqual(await namesOf(server, 'q=%20%20'), [
        'strassenbau',
        'columns',
        'told',
        'straßen',
        'other',
      ])
      assert.deepEqual(await namesOf(server, 'q=%25_.*%5B'), [])
    })

    it('answers filters, orders, counts and pages as a plain list would', async (test) => {
      const server = await start(test, environment)
      await listLayers(server, drawLayers(7, 120))
      let { page } = await ask(server, 'limit=500')
      // Waits until the server has checked the stores, none of which contains a table of these layers.
      while (page.layers.some(({ kind, problem }) => kind !== 'raster' && problem === undefined))
        ({ page } = await ask(server, 'limit=500'))
      const all = page.layers
      assert.equal(all.length, 120)
      assert.equal(page.total, 120)
      const hasProblem = (one: Listed): boolean => one.problem !== undefined
      const filters: Record<string, (one: Listed) => boolean> = {
        '': () => true,
        'workspace=city,state': ({ workspace }) => workspace !== 'county',
        'kind=table,raster': ({ kind }) => kind !== 'vector',
        'public=true': (one) => one.public,
        'problem=false': (one) => !hasProblem(one),
      }
      const keys: Record<string, (one: Listed) => string | number | undefined> = {
        name: ({ workspace, name }) => `${workspace}:${name}`,
        rows: ({ rows }) => rows,
      }
      for (const [some, isSome] of Object.entries(filters))
        for (const [other, isOther] of Object.entries(filters))
          for (const [sort, keyOf] of Object.entries(keys))
            for (const order of ['asc', 'desc'] as const) {
              if (some.split('=')[0] === other.split('=')[0] && some !== '') continue
              const query = `${some}&${other}&sort=${sort}&order=${order}&limit=500`
              const found = await ask(server, query)
              const expected = all.filter((one) => isSome(one) && isOther(one))
              const listed = found.page.layers
              assert.deepEqual(idsOf(listed).sort(), idsOf(expected).sort(), query)
              assertOrdered(listed.map(keyOf), order, query)
              const ofKind = all.filter((one) =>
                [
                  [some, isSome],
                  [other, isOther],
                ].every(([text, is]) => String(text).startsWith('kind') || (is as typeof isSome)(one)),
              )
              assert.equal(
                found.page.counts.kinds['raster'],
                ofKind.filter(({ kind }) => kind === 'raster').length,
              )
              const public_ = found.page.counts.public
              if (!query.includes('public='))
                assert.equal(public_, expected.filter((one) => one.public).length)
              if (!query.includes('problem='))
                assert.equal(found.page.counts.problems, expected.filter(hasProblem).length)
            }
    })

    it('pages without losing or repeating a layer while others come and go', async (test) => {
      const server = await start(test, environment)
      await listLayers(server, drawLayers(11, 40))
      for (const sort of ['title', 'name', 'changed', 'rows']) {
        const before = idsOf((await ask(server, `sort=${sort}&limit=500`)).page.layers)
        const seen: string[] = []
        let query: string | undefined = `sort=${sort}&limit=7`
        for (let step = 0; query !== undefined; step += 1) {
          const { page } = await ask(server, query)
          seen.push(...idsOf(page.layers))
          query = page.next
          const name = `passing_${sort}_${step}`
          await listLayers(server, [{ workspace: 'city', name, details: { title: '0' }, rows: 5000 }])
          if (step === 2) {
            const gone = await server.catalog.layers.get('city', `passing_${sort}_0`)
            await server.catalog.layers.delete(gone, { recurse: false })
          }
        }
        const stayed = seen.filter((id) => before.includes(id))
        assert.deepEqual(stayed, before, sort)
        assert.equal(new Set(seen).size, seen.length)
      }
      const { page } = await ask(server, 'q=tree&limit=3&offset=2')
      assert.deepEqual(idsOf(page.layers), idsOf((await ask(server, 'q=tree')).page.layers).slice(2, 5))
      const more = await ask(server, page.next ?? '')
      assert.deepEqual(idsOf(more.page.layers), idsOf((await ask(server, 'q=tree')).page.layers).slice(5, 8))
    })

    it('shows the anonymous what is public, as if there were nothing else', async (test) => {
      const server = await start(test, environment)
      const open: ListedLayer[] = [
        { workspace: 'half', name: 'shown', isPublic: true },
        { workspace: 'half', name: 'other', isPublic: true },
      ]
      await listLayers(server, open)
      const queries = [
        '',
        'q=shown',
        'kind=vector&public=true',
        'workspace=closed',
        'public=false',
        'limit=1',
      ]
      const asAnonymous = () => Promise.all(queries.map(async (query) => (await ask(server, query, {})).body))
      const before = await asAnonymous()
      await listLayers(server, [
        { workspace: 'half', name: 'secret', isPublic: false, details: { title: 'Shown' } },
        { workspace: 'closed', name: 'hidden' },
      ])
      assert.deepEqual(await asAnonymous(), before)
      const { page } = await ask(server, '', {})
      assert.deepEqual(
        Object.keys(page.layers[0] ?? {}).filter((key) => /requests|problem/.test(key)),
        [],
      )
      assert.equal(page.counts.problems, undefined)
      for (const query of ['sort=requests', 'problem=true']) {
        const refused = await ask(server, query, {})
        assert.equal(refused.status, 401, refused.body)
      }
      const reply = await server.app.inject('/rest/catalogue/layers')
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      const { user } = await makeRoles(server)
      assert.equal((await ask(server, '', user)).page.total, 4)
    })

    it('shows every change at once, also those of another process', async (test) => {
      const env = await environment()
      const server = await start(test, async () => env)
      await listLayers(server, [{ workspace: 'a', name: 'one' }])
      const first = (await ask(server, '')).page
      const change = (title: string, of = server) =>
        of.catalog.layers.get('a', 'one').then((layer) => of.catalog.layers.change(layer, { title }))
      for (let turn = 0; turn < 20; turn += 1) {
        const title = `Title ${turn}`
        await Promise.all([change(title), ask(server, ''), ask(server, '')])
        const { page } = await ask(server, '')
        assert.equal(page.layers[0]?.title, title)
        assert.notEqual(page.revision, first.revision)
      }
      await server.catalog.workspaces.change('a', { isPublic: true })
      assert.equal((await ask(server, '')).page.layers[0]?.public, true)
      await server.catalog.layers.delete(await server.catalog.layers.get('a', 'one'), { recurse: false })
      assert.equal((await ask(server, '')).page.total, 0)
      if (database === 'SQLite') return
      const other = await start(test, async () => env)
      await listLayers(other, [{ workspace: 'a', name: 'one' }])
      assert.deepEqual(await namesOf(server, ''), ['one'])
      await change('From elsewhere', other)
      assert.equal((await ask(server, '')).page.layers[0]?.title, 'From elsewhere')
    })

    it('tells what a layer lacks', async (test) => {
      const clock = fixedClock('2026-11-21T12:00:00Z')
      const server = await start(test, environment, clock)
      await importPoints(server, { name: 'whole' })
      await importPoints(server, { name: 'dropped' })
      const layer = await server.catalog.layers.get('default', 'dropped')
      await listLayers(server, [{ workspace: 'default', name: 'nowhere', rows: 0 }])
      const problems = async (): Promise<(string | undefined)[]> => {
        clock.advance(60_000)
        await ask(server, 'sort=name')
        await server.catalog.availability.refresh()
        const { page } = await ask(server, 'sort=name')
        assert.equal(page.counts.problems, page.layers.filter(({ problem }) => problem).length)
        return page.layers.map(({ problem }) => problem?.code)
      }
      const untilProblems = (codes: (string | undefined)[]) =>
        until(async () => isDeepStrictEqual(await problems(), codes))
      await untilProblems([undefined, 'source-gone', undefined])
      await (await server.catalog.layers.openStoreOf(layer)).dropTable('dropped')
      await untilProblems(['source-gone', 'source-gone', undefined])
      assert.deepEqual(await namesOf(server, 'problem=true'), ['dropped', 'nowhere'])
      assert.deepEqual(await namesOf(server, 'problem=false'), ['whole'])
    })

    it('has addresses that answer, bounds in degrees and the rows of the layer', async (test) => {
      const server = await start(test, environment)
      await importPoints(server, { name: 'places' })
      await listLayers(server, [{ workspace: 'default', name: 'code', details: table }])
      const { page, headers } = await ask(server, 'sort=name')
      const [code, places] = page.layers
      assert.deepEqual(places?.bounds, [1, 2, 3, 4])
      assert.equal(places?.rows, 2)
      assert.deepEqual([code?.thumbnail, code?.style, code?.bounds], [undefined, undefined, undefined])
      for (const url of [places?.thumbnail, places?.style]) {
        const reply = await server.app.inject({
          url: (url ?? '').replace('http://localhost:80', ''),
          headers: server.admin,
        })
        assert.equal(reply.statusCode, 200, reply.body)
      }
      const again = await server.app.inject({
        url: '/rest/catalogue/layers?sort=name',
        headers: { ...server.admin, 'if-none-match': String(headers['etag']) },
      })
      assert.equal(again.statusCode, 304)
    })

    it('refuses what it does not know', async (test) => {
      const server = await start(test, environment)
      for (const query of [
        'kind=line',
        'sort=size',
        'limit=0',
        'limit=501',
        'offset=-1',
        'after=x',
        'after=W10',
        'order=up',
      ])
        assert.equal((await ask(server, query)).status, 400, query)
      assert.equal((await ask(server, 'after=WyJhOmIiXQ&offset=1')).status, 400)
      const { page } = await ask(server, 'sort=relevance&offset=1000000&workspace=,,x')
      assert.deepEqual(page.layers, [])
    })
  })
}

function idsOf(layers: readonly Listed[]): string[] {
  return layers.map(({ workspace, name }) => `${workspace}:${name}`)
}

function assertOrdered(keys: (string | number | undefined)[], order: 'asc' | 'desc', what: string): void {
  const known = keys.filter((key) => key !== undefined)
  assert.deepEqual(keys.slice(0, known.length), known, `${what}: what is not known stands last`)
  known.slice(1).forEach((key, index) => {
    const before = known[index] ?? key
    assert.ok(order === 'asc' ? before <= key : before >= key, what)
  })
}
