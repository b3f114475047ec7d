import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { JsonLdDocument } from 'jsonld'
import jsonld from 'jsonld'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { listLayers } from '../../support/listed-layers.ts'
import { databases } from '../../support/monitoring-client.ts'

const path = '/ogc/catalogue/dcat'
const dcat = 'http://www.w3.org/ns/dcat#'
const dct = 'http://purl.org/dc/terms/'
const foaf = 'http://xmlns.com/foaf/0.1/'
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

interface Term {
  termType: string
  value: string
  datatype?: { value: string }
}
interface Triple {
  subject: Term
  predicate: Term
  object: Term
}

/**
 * Returns the triples that a third-party RDF parser reads from a document. The parser must not have to load
 * any other document.
 */
async function triplesOf(document: string): Promise<Triple[]> {
  const documentLoader = async (url: string): Promise<never> => {
    throw new Error(`The document leads to ${url}`)
  }
  // A term that the context does not define is an error.
  const options = { documentLoader, safe: true }
  return (await jsonld.toRDF(JSON.parse(document) as JsonLdDocument, options)) as Triple[]
}

class Graph {
  readonly #triples: readonly Triple[]

  constructor(triples: readonly Triple[]) {
    this.#triples = triples
  }

  of(type: string): string[] {
    return this.#triples
      .filter(({ predicate, object }) => predicate.value === rdfType && object.value === type)
      .map(({ subject }) => subject.value)
  }

  objects(subject: string, predicate: string): Term[] {
    return this.#triples
      .filter((one) => one.subject.value === subject && one.predicate.value === predicate)
      .map(({ object }) => object)
  }
}

/** Mandatory properties of each class and the kind of their values (DCAT-AP 3.0). */
const mandatory: [type: string, property: string, kind: 'Literal' | 'NamedNode'][] = [
  [`${dcat}Catalog`, `${dct}title`, 'Literal'],
  [`${dcat}Catalog`, `${dct}description`, 'Literal'],
  [`${dcat}Catalog`, `${dct}publisher`, 'NamedNode'],
  [`${dcat}Dataset`, `${dct}title`, 'Literal'],
  [`${dcat}Dataset`, `${dct}description`, 'Literal'],
  [`${dcat}Distribution`, `${dcat}accessURL`, 'NamedNode'],
  [`${dcat}DataService`, `${dct}title`, 'Literal'],
  [`${dcat}DataService`, `${dcat}endpointURL`, 'NamedNode'],
  [`${foaf}Agent`, `${foaf}name`, 'Literal'],
]
/** Properties that occur at most once, and the datatype of their values. */
const single: [type: string, property: string, datatype?: string][] = [
  [`${dcat}Dataset`, `${dct}issued`, 'http://www.w3.org/2001/XMLSchema#dateTime'],
  [`${dcat}Dataset`, `${dct}modified`, 'http://www.w3.org/2001/XMLSchema#dateTime'],
  [`${dcat}Dataset`, `${dct}publisher`],
  [`${dcat}Dataset`, `${dct}accessRights`],
  [`${dcat}Distribution`, `${dct}license`],
  [`${dcat}Distribution`, `${dct}format`],
  [`${dcat}Distribution`, `${dcat}mediaType`],
  [`${dct}Location`, `${dcat}bbox`, 'http://www.opengis.net/ont/geosparql#wktLiteral'],
  [`${dct}PeriodOfTime`, `${dcat}startDate`, 'http://www.w3.org/2001/XMLSchema#dateTime'],
]

function assertProfile(graph: Graph): void {
  for (const [type, property, kind] of mandatory)
    for (const subject of graph.of(type)) {
      const values = graph.objects(subject, property)
      assert.ok(values.length > 0, `${subject} has no ${property}`)
      for (const one of values) assert.equal(one.termType, kind, `${subject} ${property}`)
      for (const one of values) assert.notEqual(one.value.trim(), '', `${subject} ${property}`)
    }
  for (const [type, property, datatype] of single)
    for (const subject of graph.of(type)) {
      const values = graph.objects(subject, property)
      assert.ok(values.length <= 1, `${subject} has ${values.length} ${property}`)
      if (datatype !== undefined)
        for (const one of values) assert.equal(one.datatype?.value, datatype, `${subject} ${property}`)
    }
}

for (const [name, environment] of Object.entries(databases))
  describe(`DCAT-AP over ${name}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: await environment() })
      await listLayers(server, [
        {
          workspace: 'open',
          name: 'trees',
          isPublic: true,
          details: {
            title: 'Bäume "der" Stadt',
            abstract: 'Every\ntree',
            keywords: ['Forst', 'дерево'],
            licence: 'CC-BY-4.0',
            attribution: '© City',
            contact: 'City <maps@city.example>, https://city.example/{who}',
            owner: 'Parks department',
            citation: 'City (2026): Trees',
            doi: '10.1234/trees<1>',
          },
        },
        {
          workspace: 'open',
          name: 'fiji',
          isPublic: true,
          details: { title: '', licence: 'ask us', envelope: { minX: 177, minY: -20, maxX: 183, maxY: -15 } },
        },
        {
          workspace: 'other',
          name: 'sky',
          isPublic: true,
          details: {
            title: 'Sky',
            kind: 'raster',
            times: { from: '2020-01-01T00:00:00.000Z', to: '2020-02-01T00:00:00.000Z', count: 2, values: [] },
          },
        },
        { workspace: 'closed', name: 'secret', isPublic: false },
      ])
    })
    after(() => server.close())
    const read = async (query = '', headers: Record<string, string> = {}) => {
      const reply = await server.app.inject({ url: `${path}${query}`, headers })
      assert.equal(reply.statusCode, 200, reply.body)
      assert.match(String(reply.headers['content-type']), /^application\/ld\+json/)
      return new Graph(await triplesOf(reply.body))
    }
    const titles = (graph: Graph): string[] =>
      graph
        .of(`${dcat}Dataset`)
        .flatMap((one) => graph.objects(one, `${dct}identifier`).map(({ value }) => value))
        .sort()

    it('is read by a parser of RDF, with all that the profile demands', async () => {
      for (const headers of [{}, server.admin]) {
        const graph = await read('', headers)
        assertProfile(graph)
        const [catalogue = ''] = graph.of(`${dcat}Catalog`)
        assert.deepEqual(
          graph
            .objects(catalogue, `${dcat}dataset`)
            .map(({ value }) => value)
            .sort(),
          graph.of(`${dcat}Dataset`).sort(),
        )
        assert.ok(graph.of(`${dcat}Distribution`).length > graph.of(`${dcat}Dataset`).length)
      }
    })

    it('tells of a layer what is known of it', async () => {
      const graph = await read()
      const about = (id: string): string =>
        graph
          .of(`${dcat}Dataset`)
          .find((one) => graph.objects(one, `${dct}identifier`).some(({ value }) => value === id)) ?? ''
      const value = (subject: string, property: string): string[] =>
        graph.objects(subject, property).map((one) => one.value)
      const trees = about('open:trees')
      assert.match(trees, /\/ogc\/collections\/open%3Atrees$/)
      assert.deepEqual(value(trees, `${dct}title`), ['Bäume "der" Stadt'])
      assert.deepEqual(value(trees, `${dct}description`), ['Every\ntree'])
      assert.deepEqual(value(trees, `${dcat}keyword`).sort(), ['Forst', 'дерево'])
      const [contact = ''] = value(trees, `${dcat}contactPoint`)
      const card = 'http://www.w3.org/2006/vcard/ns#'
      assert.deepEqual(value(contact, `${card}fn`), ['City'])
      assert.deepEqual(value(contact, `${card}hasEmail`), ['mailto:maps@city.example'])
      assert.deepEqual(value(contact, `${card}hasURL`), ['https://city.example/%7Bwho%7D'])
      const [owner = ''] = value(trees, `${dct}rightsHolder`)
      assert.deepEqual(value(owner, 'http://xmlns.com/foaf/0.1/name'), ['Parks department'])
      assert.deepEqual(value(trees, `${dct}bibliographicCitation`), ['City (2026): Trees'])
      const [identifier = ''] = value(trees, 'http://www.w3.org/ns/adms#identifier')
      assert.deepEqual(value(identifier, 'http://www.w3.org/2004/02/skos/core#notation'), [
        'https://doi.org/10.1234/trees%3C1%3E',
      ])
      const [form = ''] = value(trees, `${dcat}distribution`)
      assert.deepEqual(value(form, `${dct}license`), [
        'http://publications.europa.eu/resource/authority/licence/CC_BY_4_0',
      ])
      assert.deepEqual(value(form, `${dct}format`), [
        'http://publications.europa.eu/resource/authority/file-type/GEOJSON',
      ])
      const [place = ''] = value(trees, `${dct}spatial`)
      assert.deepEqual(value(place, `${dcat}bbox`), ['POLYGON ((1 2, 3 2, 3 4, 1 4, 1 2))'])
      const [far = ''] = value(about('open:fiji'), `${dct}spatial`)
      assert.match(value(far, `${dcat}bbox`).join(), /^MULTIPOLYGON \(\(\(177 -20, 180 -20/)
      assert.deepEqual(value(about('open:fiji'), `${dct}title`), ['open:fiji'])
      const [times = ''] = value(about('other:sky'), `${dct}temporal`)
      assert.deepEqual(value(times, `${dcat}startDate`), ['2020-01-01T00:00:00.000Z'])
    })

    it('holds what the caller may read, of the workspaces that are asked for', async () => {
      assert.deepEqual(titles(await read()), ['open:fiji', 'open:trees', 'other:sky'])
      assert.deepEqual(titles(await read('?workspace=open')), ['open:fiji', 'open:trees'])
      assert.deepEqual(titles(await read('?workspace=other,closed')), ['other:sky'])
      assert.deepEqual(titles(await read('?workspace=closed', server.admin)), ['closed:secret'])
      const rights = 'http://publications.europa.eu/resource/authority/access-right'
      const hidden = await read('?workspace=closed', server.admin)
      const [secret = ''] = hidden.of(`${dcat}Dataset`)
      assert.deepEqual(
        hidden.objects(secret, `${dct}accessRights`).map(({ value }) => value),
        [`${rights}/RESTRICTED`],
      )
      const anonymous = await server.app.inject(`${path}?workspace=closed`)
      const absent = await server.app.inject(`${path}?workspace=nothere`)
      assert.equal(anonymous.body.replaceAll('closed', 'nothere'), absent.body)
      assert.equal((await server.app.inject(`${path}?foo=1`)).statusCode, 400)
    })
  })
