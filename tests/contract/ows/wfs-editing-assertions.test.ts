import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { addEditedStores, editedStores } from '../../support/edited-layers.ts'
import {
  exceptionIn,
  featureOf,
  idsIn,
  importFeatures,
  namespaceOfTypes,
  postWfs,
  totalsIn,
  wfsXml,
} from '../../support/wfs-transactions.ts'

/** Names and ids in the request of a step. */
interface Names {
  type: string
  namespace: string
  /** Ids that earlier steps of the assertion were told, and the id of their lock. */
  ids: readonly string[]
  lockId: string
}

interface Step {
  request(names: Names): string
  status?: number
  code?: string
  totals?: Record<string, number>
  /** Number of ids in the response. */
  ids?: number
  has?: RegExp
}

/** Assertions about Transaction and Locking, by the section of OGC 09-025r2. */
const assertions: { section: string; rule: string; steps: Step[] }[] = [
  {
    section: '15.2.4, 15.3.4',
    rule: 'an inserted feature has the id that the response names, and is found by it',
    steps: [
      {
        request: (names) => transaction(insert(names, '<f:n>41</f:n>')),
        ids: 1,
        totals: { totalInserted: 1 },
      },
      { request: byId, has: /:n>41</ },
    ],
  },
  {
    section: '15.3.4',
    rule: 'the ids of inserted features have the order of the request',
    steps: [
      {
        request: (names) => transaction(insert(names, '<f:n>51</f:n>', '<f:n>52</f:n>')),
        ids: 2,
        totals: { totalInserted: 2 },
      },
      { request: byId, has: /:n>51</ },
    ],
  },
  {
    section: '15.2.4.2',
    rule: 'a feature of an unknown type is refused',
    steps: [
      {
        request: ({ namespace }) => transaction(`<wfs:Insert><f:None xmlns:f="${namespace}"/></wfs:Insert>`),
        status: 400,
        code: 'InvalidParameterValue',
      },
    ],
  },
  {
    section: '15.2.5.2.1',
    rule: 'a property is named by its path, with or without its prefix, and its value replaced',
    steps: [
      {
        request: (names) => transaction(update(names, `p:${names.type}/p:n`, '61')),
        totals: { totalUpdated: 1 },
      },
      { request: (names) => transaction(update(names, 'p:n', '62')), totals: { totalUpdated: 1 } },
      { request: first, has: /:n>62</ },
    ],
  },
  {
    section: '15.2.5.2.2',
    rule: 'a property without a value, or with the action remove, becomes null',
    steps: [
      { request: (names) => transaction(update(names, 'kind', 'x')) },
      { request: (names) => transaction(update(names, 'kind', undefined)), totals: { totalUpdated: 1 } },
      { request: first, has: /^(?:(?!:kind>).)*$/s },
    ],
  },
  {
    section: '15.2.5.2.1, table 3',
    rule: 'a value that is not of the type of its property is InvalidValue',
    steps: [{ request: (names) => transaction(update(names, 'n', 'x')), status: 400, code: 'InvalidValue' }],
  },
  {
    section: '15.2.6',
    rule: 'a replaced feature keeps its id, and has no other values than those of the request',
    steps: [
      {
        request: (names) =>
          transaction(
            `<wfs:Replace><f:${names.type} xmlns:f="${names.namespace}"><f:kind>new</f:kind></f:${names.type}>${idFilter(names, 1)}</wfs:Replace>`,
          ),
        ids: 1,
        totals: { totalReplaced: 1 },
      },
      { request: first, has: /:kind>new</ },
      { request: first, has: /^(?:(?!:n>).)*$/s },
    ],
  },
  {
    section: '15.2.7',
    rule: 'a deleted feature is found no more, and deleting it again deletes nothing',
    steps: [
      { request: (names) => transaction(remove(names, 2)), totals: { totalDeleted: 1 } },
      { request: (names) => transaction(remove(names, 2)), totals: { totalDeleted: 0 } },
    ],
  },
  {
    section: '15.2.8',
    rule: 'a Native action that is safe to ignore is ignored, and others are refused',
    steps: [
      { request: () => transaction('<wfs:Native vendorId="x" safeToIgnore="true"/>'), totals: {} },
      {
        request: () => transaction('<wfs:Native vendorId="x" safeToIgnore="false"/>'),
        status: 400,
        code: 'InvalidParameterValue',
      },
    ],
  },
  {
    section: '12.2.4, 12.3',
    rule: 'LockFeature locks all features of its queries, and its response has the id of the lock',
    steps: [
      { request: (names) => lock(names, 'expiry="30"'), ids: 1 },
      { request: (names) => lock(names), status: 400, code: 'CannotLockAllFeatures' },
      { request: (names) => transaction('', `lockId="${names.lockId}"`), totals: {} },
      { request: (names) => lock(names), ids: 1 },
      { request: (names) => transaction('', `lockId="${names.lockId}"`), totals: {} },
    ],
  },
  {
    section: '15.2.3.1',
    rule: 'a locked feature is changed only with the id of its lock, which is released then',
    steps: [
      { request: (names) => lock(names), ids: 1 },
      {
        request: (names) => transaction(update(names, 'n', '71')),
        status: 400,
        code: 'MissingParameterValue',
      },
      {
        request: (names) => transaction(update(names, 'n', '71'), `lockId="${names.lockId}"`),
        totals: { totalUpdated: 1 },
      },
      { request: (names) => transaction(update(names, 'n', '72')), totals: { totalUpdated: 1 } },
    ],
  },
  {
    section: '15.2.3.1, table 3',
    rule: 'the id of no lock is InvalidLockId',
    steps: [{ request: () => transaction('', 'lockId="none"'), status: 400, code: 'InvalidLockId' }],
  },
  {
    section: '13.2.2',
    rule: 'GetFeatureWithLock does not count hits',
    steps: [
      {
        request: (names) => queried('GetFeatureWithLock', names, 'resultType="hits"'),
        status: 400,
        code: 'InvalidParameterValue',
      },
    ],
  },
]

function transaction(inside: string, more = ''): string {
  return wfsXml('2.0.0', 'Transaction', inside, more)
}

function insert({ type, namespace }: Names, ...values: string[]): string {
  const features = values.map((inside) => `<f:${type} xmlns:f="${namespace}">${inside}</f:${type}>`)
  return `<wfs:Insert>${features.join('')}</wfs:Insert>`
}

function idFilter({ type }: Names, id: number): string {
  return `<fes:Filter><fes:ResourceId rid="${type}.${id}"/></fes:Filter>`
}

function update(names: Names, reference: string, value: string | undefined): string {
  const inside = value === undefined ? '' : `<wfs:Value>${value}</wfs:Value>`
  const action = value === undefined ? ' action="remove"' : ''
  return `<wfs:Update typeName="p:${names.type}" xmlns:p="${names.namespace}"><wfs:Property><wfs:ValueReference${action}>${reference}</wfs:ValueReference>${inside}</wfs:Property>${idFilter(names, 1)}</wfs:Update>`
}

function remove(names: Names, id: number): string {
  return `<wfs:Delete typeName="default:${names.type}">${idFilter(names, id)}</wfs:Delete>`
}

function queried(operation: string, names: Names, more = ''): string {
  const query = `<wfs:Query typeNames="default:${names.type}">${idFilter(names, 1)}</wfs:Query>`
  return wfsXml('2.0.0', operation, query, more)
}

function lock(names: Names, more = ''): string {
  return queried('LockFeature', names, more)
}

/** Asks for the feature that the last response named first. */
function byId({ ids: [id = ''] }: Names): string {
  return wfsXml(
    '2.0.0',
    'GetFeature',
    `<wfs:StoredQuery id="urn:ogc:def:query:OGC-WFS::GetFeatureById"><wfs:Parameter name="id">${id}</wfs:Parameter></wfs:StoredQuery>`,
  )
}

function first(names: Names): string {
  return queried('GetFeature', names)
}

describe('assertions about Transaction and Locking of WFS 2.0', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await addEditedStores(server)
    const features = [1, 2, 3].map((n) => featureOf({ n, kind: 'oak' }, 'Point', [n, n]))
    for (const store of editedStores)
      await importFeatures(server, { name: `trees_${store}`, store, features })
  })
  after(() => server.close())

  for (const store of editedStores)
    for (const { section, rule, steps } of assertions)
      it(`${section}: ${rule}, in store ${store}`, async () => {
        const type = `trees_${store}`
        const namespace = await namespaceOfTypes(server, `default:${type}`)
        let names: Names = { type, namespace, ids: [], lockId: '' }
        for (const { request, status = 200, code, totals, ids, has } of steps) {
          const answer = await postWfs(server, request(names))
          assert.deepEqual([answer.status, exceptionIn(answer.text).code], [status, code], answer.text)
          const none = { totalInserted: 0, totalUpdated: 0, totalReplaced: 0, totalDeleted: 0 }
          if (totals !== undefined) assert.deepEqual(totalsIn(answer.text), { ...none, ...totals })
          const found = idsIn(answer.text)
          if (ids !== undefined) assert.equal(found.length, ids, answer.text)
          if (has !== undefined) assert.match(answer.text, has)
          const [, lockId = names.lockId] = /lockId="([^"]+)"/.exec(answer.text) ?? []
          names = { ...names, ids: found.length > 0 ? found : names.ids, lockId }
        }
      })
})
