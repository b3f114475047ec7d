import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { importPoints } from '../../support/versioned-layers.ts'

interface Link {
  rel: string
  href: string
  type?: string
}
interface Page {
  type: string
  features: { id: unknown; links?: Link[] }[]
  numberMatched: number
  numberReturned: number
  timeStamp: string
  links: Link[]
}
interface Parameter {
  name: string
  in: string
  required: boolean
  style?: string
  explode?: boolean
  schema: Record<string, unknown>
}

const page = readFileSync('docs/conformance.md', 'utf8')
/** Classes as the page has them: `<begin of the address>` above a list of their names. */
function reportedClasses(): string[] {
  return [...page.matchAll(/^Declared below `(\S+)`: (.+)$/gm)].flatMap(([, base = '', names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${base}${name}`),
  )
}

describe('what /ogc declares', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await server.app.inject({
      method: 'POST',
      url: '/rest/workspaces',
      headers: server.admin,
      payload: { workspace: { name: 'open', public: true } },
    })
    const points = [
      ['a', 1, 2],
      ['b', 3, 4],
      ['c', 5, 6],
    ] as const
    await importPoints(server, { workspace: 'open', name: 'cities', points: points.map((one) => [...one]) })
  })
  after(() => server.close())
  const read = async <T>(url: string): Promise<T> => {
    const reply = await server.app.inject(url)
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.json<T>()
  }
  const items = '/ogc/collections/open:cities/items'

  it('stands in the document class by class, and nothing else does', async () => {
    const declared = await Promise.all(
      ['/ogc/conformance', '/ogc/catalogue/conformance', '/stac/conformance'].map((url) =>
        read<{ conformsTo: string[] }>(url),
      ),
    )
    const all = new Set(declared.flatMap(({ conformsTo }) => conformsTo))
    assert.deepEqual([...new Set(reportedClasses())].sort(), [...all].sort())
  })

  it('leads from the landing page to its description, its classes and its collections', async () => {
    for (const root of ['/ogc', '/ogc/catalogue']) {
      const { links } = await read<{ links: Link[] }>(root)
      for (const rel of ['self', 'service-desc', 'service-doc', 'conformance', 'data'])
        assert.ok(
          links.some((one) => one.rel === rel),
          `${root} ${rel}`,
        )
    }
  })

  it('describes limit, bbox and datetime as the standard does', async () => {
    for (const root of ['/ogc', '/ogc/catalogue']) {
      const { components } = await read<{ components: { parameters: Record<string, Parameter> } }>(
        `${root}/api`,
      )
      const of = (name: string): Parameter => {
        const found = components.parameters[name]
        assert.ok(found, name)
        assert.deepEqual(
          [found.name, found.in, found.required, found.style, found.explode],
          [name, 'query', false, 'form', false],
        )
        return found
      }
      const { type, minimum, maximum } = of('limit').schema
      assert.deepEqual([type, minimum], ['integer', 1])
      assert.ok(Number(maximum) >= 1)
      const box = of('bbox').schema
      assert.deepEqual([box['type'], box['minItems'], box['maxItems']], ['array', 4, 6])
      assert.deepEqual(of('datetime').schema, { type: 'string' })
    }
  })

  it('tells of a collection alone what the list of collections tells', async () => {
    const { collections } = await read<{ collections: { id: string; links: Link[] }[] }>('/ogc/collections')
    const [listed] = collections
    const { links, ...alone } = await read<{ links: Link[] }>('/ogc/collections/open:cities')
    assert.deepEqual(
      alone,
      Object.fromEntries(Object.entries(listed ?? {}).filter(([key]) => key !== 'links')),
    )
    for (const { rel, href, type } of listed?.links ?? []) {
      const same = links.filter((one) => one.rel === rel && one.href === href)
      assert.ok(
        same.some((one) => one.type === type),
        `${rel} ${href}`,
      )
    }
    assert.ok(links.some(({ rel, type }) => rel === 'items' && type === 'application/geo+json'))
  })

  it('counts what a page has and what there is, and says when it was made', async () => {
    const before = Date.now()
    const found = await read<Page>(`${items}?limit=2`)
    assert.deepEqual([found.type, found.numberMatched, found.numberReturned], ['FeatureCollection', 3, 2])
    assert.equal(found.features.length, 2)
    assert.match(found.timeStamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    assert.ok(Date.parse(found.timeStamp) >= before - 1000)
    for (const rel of ['self', 'next', 'alternate'])
      assert.ok(
        found.links.some((one) => one.rel === rel && one.type !== undefined),
        rel,
      )
    const all = await read<Page>(items)
    assert.ok(all.links.every(({ rel }) => rel !== 'next'))
  })

  it('gives one feature with links to itself, its other forms and its collection', async () => {
    const { features } = await read<Page>(`${items}?limit=1`)
    const feature = await read<{ id: unknown; links: Link[] }>(`${items}/${String(features[0]?.id)}`)
    assert.equal(feature.id, features[0]?.id)
    for (const rel of ['self', 'collection', 'alternate'])
      assert.ok(
        feature.links.some((one) => one.rel === rel),
        rel,
      )
  })
})
