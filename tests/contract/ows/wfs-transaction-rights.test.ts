import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { addEditedStores, shownFeatures } from '../../support/edited-layers.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { ask } from '../../support/version-client.ts'
import {
  exceptionIn,
  featureOf,
  importFeatures,
  postWfs,
  totalsIn,
  wfsXml,
} from '../../support/wfs-transactions.ts'

const password = 'a-long-user-password'
const trees = [1, 2, 3].map((n) => featureOf({ n }, 'Point', [n, n]))

describe('rights to transactions of WFS', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await addEditedStores(server)
    await importFeatures(server, { name: 'trees', store: 'file', features: trees })
    await importFeatures(server, { name: 'open', store: 'file', features: trees })
    const opened = await ask(server, 'PUT', '/rest/layers/default:open', { layer: { public: true } })
    assert.equal(opened.status, 200, opened.text)
    for (const [name, role] of [['reader', 'user']]) {
      const made = await ask(server, 'POST', '/rest/security/users', { user: { name, password, role } })
      assert.equal(made.status, 201, made.text)
    }
    await publishTheirs()
  })
  after(() => server.close())

  /** Publishes a table of others, which Terrane may not change. */
  async function publishTheirs(): Promise<void> {
    const database = await fileDatabase()
    await runSql(database, 'create schema theirs; create table theirs.fixed (id int primary key, n int)')
    await runSql(database, 'insert into theirs.fixed values (1, 1)')
    const dataStore = {
      name: 'theirs',
      type: 'PostGIS',
      connectionParameters: storeParameters(database, 'theirs'),
    }
    const store = await ask(server, 'POST', '/rest/workspaces/default/datastores', { dataStore })
    assert.equal(store.status, 201, store.text)
    const url = '/rest/workspaces/default/datastores/theirs/tables'
    const published = await ask(server, 'POST', url, { publish: { include: ['fixed'] } })
    assert.equal(published.status, 200, published.text)
  }

  const update = (layer: string, more = ''): string =>
    wfsXml(
      '2.0.0',
      'Transaction',
      `<wfs:Update typeName="${layer}"><wfs:Property><wfs:ValueReference>n</wfs:ValueReference><wfs:Value>9</wfs:Value></wfs:Property></wfs:Update>`,
      more,
    )

  it('are asked of anonymous clients by a 401, whether the type exists or not', async () => {
    for (const layer of ['default:open', 'default:trees', 'default:nothing']) {
      const { status, headers } = await postWfs(server, update(layer), { headers: {} })
      assert.equal(status, 401)
      assert.match(String(headers['www-authenticate']), /Basic/)
    }
  })

  it('are refused to users without them by a 403, and for types that they may not read like missing ones', async () => {
    const headers = basicAuth('reader', password)
    const refused = await postWfs(server, update('default:open'), { headers })
    assert.equal(refused.status, 403, refused.text)
    assert.match(refused.text, /edit&quot; for layer/)
    const missing = await postWfs(server, update('default:nothing'), { headers })
    assert.deepEqual([missing.status, exceptionIn(missing.text).code], [400, 'InvalidParameterValue'])
    assert.match(missing.text, /does not exist, or needs a login/)
    assert.deepEqual(
      (await shownFeatures(server, 'default:open')).map(({ properties }) => properties['n']),
      [1, 2, 3],
    )
  })

  it('do not help where the features cannot be changed, which is told with the reason', async () => {
    const { status, text } = await postWfs(server, update('default:fixed'))
    assert.deepEqual([status, exceptionIn(text).code], [400, 'OperationNotSupported'], text)
    assert.match(text, /Update \(action 1\).*published in place/)
  })

  it('are shown by the capabilities, with the operations of each type in 1.1.0', async () => {
    const read = async (version: string, headers: Record<string, string>): Promise<string> => {
      const url = `/wfs?service=WFS&version=${version}&request=GetCapabilities`
      return (await server.app.inject({ method: 'GET', url, headers })).body
    }
    const transactional = /ImplementsTransactionalWFS"><ows:NoValues\/><ows:DefaultValue>TRUE</
    for (const [headers, can] of [
      [server.admin, true],
      [basicAuth('reader', password), false],
      [{}, false],
    ] as const) {
      const newer = await read('2.0.0', headers)
      assert.equal(/<ows:Operation name="Transaction">/.test(newer), can)
      assert.equal(transactional.test(newer), can)
      const older = await read('1.1.0', headers)
      assert.equal(/<ows:Operation name="LockFeature">/.test(older), can)
      const operations = [...older.matchAll(/<Name>default:(\w+)<\/Name>.*?<\/FeatureType>/gs)]
        .filter(([type]) => type.includes('<Operation>Insert</Operation>'))
        .map(([, name]) => name)
      assert.deepEqual(operations, can ? ['open', 'trees'] : [])
    }
  })

  it('lead to an entry of the audit log with the layers', async () => {
    const { status, text } = await postWfs(server, update('default:trees'))
    assert.equal(status, 200, text)
    assert.deepEqual(totalsIn(text), { totalInserted: 0, totalUpdated: 3, totalReplaced: 0, totalDeleted: 0 })
    const { text: log } = await ask(server, 'GET', '/rest/audit?action=features.transact')
    assert.match(log, /"features\.transact"/)
    assert.match(log, /default:trees/)
  })

  it('take no more features in one request than the documented limit', async () => {
    const many = Array.from({ length: 2001 }, (_, n) => featureOf({ n }, 'Point', [1, 1]))
    await importFeatures(server, { name: 'many', store: 'file', features: many })
    const { status, text } = await postWfs(server, update('default:many'))
    assert.deepEqual([status, exceptionIn(text).code], [400, 'OperationNotSupported'], text)
    assert.match(text, /at most 2000 features/)
  })
})
