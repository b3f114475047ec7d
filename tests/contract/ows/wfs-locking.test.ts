import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { addEditedStores, editedStores, shownFeatures } from '../../support/edited-layers.ts'
import { askFeature } from '../../support/feature-client.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { ask } from '../../support/version-client.ts'
import {
  exceptionIn,
  featureOf,
  idsIn,
  importFeatures,
  postWfs,
  wfsXml,
} from '../../support/wfs-transactions.ts'

const trees = [1, 2, 3].map((n) => featureOf({ n }, 'Point', [n, n]))
const editorPassword = 'a-long-editor-password'
const editor = basicAuth('editor', editorPassword)

describe('locks of features by WFS', () => {
  let server: TestApp
  const clock = fixedClock('2026-03-01T00:00:00.000Z')
  before(async () => {
    server = await createTestApp({ clock })
    await addEditedStores(server)
    for (const store of editedStores)
      await importFeatures(server, { name: `trees_${store}`, store, features: trees })
    const made = await ask(server, 'POST', '/rest/security/users', {
      user: { name: 'editor', password: editorPassword, role: 'staff' },
    })
    assert.equal(made.status, 201, made.text)
  })
  after(() => server.close())

  const lock20 = (type: string, inside: string, more = ''): string =>
    wfsXml('2.0.0', 'LockFeature', `<wfs:Query typeNames="default:${type}">${inside}</wfs:Query>`, more)
  const byId = (type: string, ...ids: number[]): string =>
    `<fes:Filter>${ids.map((id) => `<fes:ResourceId rid="${type}.${id}"/>`).join('')}</fes:Filter>`
  const lockIdIn = (text: string): string =>
    /lockId="([^"]+)"/.exec(text)?.[1] ?? /<wfs:LockId>([^<]+)</.exec(text)?.[1] ?? ''
  const setN = (type: string, id: number, value: number, more = ''): string =>
    wfsXml(
      '2.0.0',
      'Transaction',
      `<wfs:Update typeName="default:${type}"><wfs:Property><wfs:ValueReference>n</wfs:ValueReference><wfs:Value>${value}</wfs:Value></wfs:Property>${byId(type, id)}</wfs:Update>`,
      more,
    )
  const release = (lockId: string): Promise<{ status: number; text: string }> =>
    postWfs(server, wfsXml('2.0.0', 'Transaction', '', `lockId="${lockId}"`))
  const valuesOf = async (type: string): Promise<unknown[]> =>
    (await shownFeatures(server, `default:${type}`)).map(({ properties }) => properties['n'])

  for (const store of editedStores) {
    const type = `trees_${store}`
    const layer = `default:${type}`

    it(`keep others from changing the features, until they are released, in store ${store}`, async () => {
      const locked = await postWfs(server, lock20(type, byId(type, 1, 2), 'expiry="60"'))
      assert.equal(locked.status, 200, locked.text)
      assert.deepEqual(idsIn(locked.text, 'FeaturesLocked'), [`${type}.1`, `${type}.2`])
      const lockId = lockIdIn(locked.text)
      assert.notEqual(lockId, '')
      const without = await postWfs(server, setN(type, 1, 10))
      assert.deepEqual(
        [without.status, exceptionIn(without.text).code, exceptionIn(without.text).locator],
        [400, 'MissingParameterValue', 'lockId'],
      )
      const foreign = await postWfs(server, setN(type, 1, 10, `lockId="${lockId}"`), { headers: editor })
      assert.deepEqual([foreign.status, exceptionIn(foreign.text).code], [400, 'InvalidLockId'], foreign.text)
      const patch = { method: 'PATCH', layer, id: 2, body: { properties: { n: 20 } } } as const
      const byOthers = await askFeature(server, { ...patch, headers: editor })
      assert.equal(byOthers.status, 409, byOthers.text)
      assert.match(byOthers.text, /feature-locked/)
      const byOwner = await askFeature(server, patch)
      assert.equal(byOwner.status, 204, byOwner.text)
      const free = await postWfs(server, setN(type, 3, 30))
      assert.equal(free.status, 200, free.text)
      const some = await postWfs(server, setN(type, 1, 10, `lockId="${lockId}" releaseAction="SOME"`))
      assert.equal(some.status, 200, some.text)
      const released = await postWfs(server, setN(type, 1, 11))
      assert.equal(released.status, 200, released.text)
      assert.equal((await postWfs(server, setN(type, 2, 21))).status, 400)
      assert.equal((await release(lockId)).status, 200)
      assert.equal((await postWfs(server, setN(type, 2, 21))).status, 200)
      assert.deepEqual(await valuesOf(type), [11, 21, 30])
      const gone = await release(lockId)
      assert.deepEqual([gone.status, exceptionIn(gone.text).code], [400, 'InvalidLockId'])
    })

    it(`are for all features or for some, in store ${store}`, async () => {
      const first = await postWfs(server, lock20(type, byId(type, 2)))
      const all = await postWfs(server, lock20(type, ''))
      assert.deepEqual([all.status, exceptionIn(all.text).code], [400, 'CannotLockAllFeatures'], all.text)
      assert.match(all.text, new RegExp(`${type}\\.2`))
      const some = await postWfs(server, lock20(type, '', 'lockAction="SOME"'))
      assert.equal(some.status, 200, some.text)
      assert.deepEqual(idsIn(some.text, 'FeaturesLocked'), [`${type}.1`, `${type}.3`])
      assert.deepEqual(idsIn(some.text, 'FeaturesNotLocked'), [`${type}.2`])
      for (const { text } of [first, some]) assert.equal((await release(lockIdIn(text))).status, 200)
    })

    it(`come with the features by GetFeatureWithLock, and expire, in store ${store}`, async () => {
      const query = `<wfs:Query typeNames="${layer}">${byId(type, 1)}</wfs:Query>`
      const got = await postWfs(server, wfsXml('2.0.0', 'GetFeatureWithLock', query, 'expiry="30"'))
      assert.equal(got.status, 200, got.text)
      assert.match(got.text, /<wfs:FeatureCollection [^>]*numberReturned="1"/)
      assert.match(got.text, new RegExp(`gml:id="${type}.1"`))
      const lockId = lockIdIn(got.text)
      assert.equal((await postWfs(server, setN(type, 1, 12))).status, 400)
      clock.advance(31_000)
      const expired = await postWfs(server, setN(type, 1, 12, `lockId="${lockId}"`))
      assert.deepEqual(
        [expired.status, exceptionIn(expired.text).code],
        [403, 'LockHasExpired'],
        expired.text,
      )
      assert.equal((await postWfs(server, setN(type, 1, 12))).status, 200)
      const hits = await postWfs(server, wfsXml('2.0.0', 'GetFeatureWithLock', query, 'resultType="hits"'))
      assert.deepEqual([hits.status, exceptionIn(hits.text).code], [400, 'InvalidParameterValue'])
    })

    it(`of 1.1.0 last for minutes, in store ${store}`, async () => {
      const filter = `<ogc:Filter><ogc:FeatureId fid="${type}.3"/></ogc:Filter>`
      const body = wfsXml(
        '1.1.0',
        'LockFeature',
        `<wfs:Lock typeName="${layer}">${filter}</wfs:Lock>`,
        'expiry="2"',
      )
      const locked = await postWfs(server, body)
      assert.equal(locked.status, 200, locked.text)
      assert.deepEqual(idsIn(locked.text, 'FeaturesLocked'), [`${type}.3`])
      clock.advance(119_000)
      assert.equal((await postWfs(server, setN(type, 3, 31))).status, 400)
      const update = `<wfs:LockId>${lockIdIn(locked.text)}</wfs:LockId><wfs:Delete typeName="${layer}">${filter}</wfs:Delete>`
      const removed = await postWfs(server, wfsXml('1.1.0', 'Transaction', update))
      assert.equal(removed.status, 200, removed.text)
    })
  }

  it('are refused for wrong times and actions, and without a right', async () => {
    const type = 'trees_file'
    for (const more of ['expiry="0"', 'expiry="86401"', 'expiry="soon"', 'lockAction="MOST"']) {
      const { status, text } = await postWfs(server, lock20(type, '', more))
      assert.deepEqual([status, exceptionIn(text).code], [400, 'InvalidParameterValue'], text)
    }
    const anonymous = await postWfs(server, lock20(type, ''), { headers: {} })
    assert.equal(anonymous.status, 401, anonymous.text)
    const url = `/wfs?service=WFS&version=2.0.0&request=LockFeature&typeNames=${type}`
    const got = await server.app.inject({ method: 'GET', url, headers: server.admin })
    assert.match(got.body, /OperationNotSupported/)
  })
})
