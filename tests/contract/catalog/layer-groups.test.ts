import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../../support/importer-client.ts'
import {
  blue,
  each,
  filled,
  groupCatalogues,
  map,
  nothing,
  published,
  red,
  startGroups,
} from '../../support/layer-groups.ts'

for (const [catalogue, settings] of Object.entries(groupCatalogues)) {
  describe(`layer groups by REST with ${catalogue}`, () => {
    let groups: Awaited<ReturnType<typeof startGroups>>
    const send: typeof groups.send = (...request) => groups.send(...request)
    const createGroup: typeof groups.createGroup = (...group) => groups.createGroup(...group)
    const squaresOf: typeof groups.squaresOf = (...request) => groups.squaresOf(...request)
    before(async () => {
      groups = await startGroups(await settings())
    })
    after(() => groups.client.server.close())

    it('are listed and shown in the shape of GeoServer, with bounds', async () => {
      const { json } = await send('GET', '/rest/workspaces/default/layergroups')
      assert.deepEqual(each(json.layerGroups?.layerGroup, 'name'), ['pair'])
      const href = String(each(json.layerGroups?.layerGroup, 'href')[0])
      const { json: shown, headers } = await send('GET', new URL(href).pathname)
      const { dateCreated, dateModified, publishables, styles, ...rest } =
        shown.layerGroup as never as Record<string, Json>
      assert.ok(String(dateCreated) <= String(dateModified))
      assert.deepEqual(rest, {
        name: 'pair',
        mode: 'SINGLE',
        title: 'West and middle',
        workspace: { name: 'default' },
        bounds: { minx: 0, miny: 0, maxx: 20, maxy: 10, crs: 'EPSG:4326' },
      })
      const members = publishables?.published as unknown as Record<string, string>[]
      assert.deepEqual(
        members.map(({ '@type': type, name }) => [type, name]),
        [
          ['layer', 'default:west'],
          ['layer', 'default:middle'],
        ],
      )
      assert.deepEqual(each(styles?.style, 'name'), [undefined, 'red'])
      const again = await send('GET', new URL(href).pathname, {
        headers: { 'if-none-match': String(headers.etag) },
      })
      assert.equal(again.status, 304)
    })

    it('link to styles where they are: of the workspace, or of none', async () => {
      const made = await groups.client.server.app.inject({
        method: 'POST',
        url: '/rest/workspaces/default/styles?name=own',
        headers: { ...groups.client.server.admin, 'content-type': 'application/vnd.ogc.sld+xml' },
        payload: filled('#00ff00'),
      })
      assert.equal(made.statusCode, 201, made.body)
      await createGroup('/rest/workspaces/default/layergroups', {
        name: 'styled',
        publishables: published('west', 'east'),
        styles: { style: ['own', 'red'] },
      })
      const { json } = await send('GET', '/rest/workspaces/default/layergroups/styled')
      for (const href of each(json.layerGroup?.styles?.style, 'href'))
        assert.equal((await send('GET', new URL(String(href)).pathname)).status, 200, String(href))
    })

    it('refuse what does not fit, with nothing saved', async () => {
      const post = (layerGroup: object, path = '/rest/workspaces/default/layergroups') =>
        send('POST', path, { body: { layerGroup } })
      const west = published('west')
      const refused = [
        [await post({ publishables: west }), 400, /layerGroup.name/],
        [await post({ name: 'no/name', publishables: west }), 400, /not valid/],
        [await post({ name: 'empty', publishables: { published: [] } }), 400, /at least one/],
        [await post({ name: 'a', mode: 'EO', publishables: west }), 400, /SINGLE, NAMED/],
        [
          await post({ name: 'a', publishables: published('none') }),
          400,
          /"none" of the group does not exist/,
        ],
        [await post({ name: 'a', publishables: west, styles: { style: ['', ''] } }), 400, /2 styles for 1/],
        [
          await post({ name: 'a', publishables: west, styles: { style: 'none' } }),
          400,
          /"none" .*does not exist/,
        ],
        [await post({ name: 'pair', publishables: west }), 409, /exists already/],
        [await post({ name: 'west', publishables: west }), 409, /layer is named/],
        [
          await post({ name: 'a', publishables: { published: { '@type': 'layerGroup', name: 'none' } } }),
          400,
          /"none"/,
        ],
      ] as const
      for (const [answer, status, text] of refused) {
        assert.equal(answer.status, status, answer.text)
        assert.match(String(answer.json.detail), text)
      }
      const many = Array.from({ length: 51 }, () => 'west')
      const tooMany = await post({ name: 'a', publishables: published(...many) })
      assert.equal(tooMany.status, 400)
      const groups = await send('GET', '/rest/workspaces/default/layergroups/a')
      assert.equal(groups.status, 404)
    })

    it('refuse to contain themselves, directly and through others', async () => {
      await createGroup('/rest/layergroups', {
        name: 'outer',
        publishables: { published: [{ '@type': 'layerGroup', name: 'all' }] },
      })
      for (const inner of ['all', 'outer']) {
        const cycle = await send('PUT', '/rest/layergroups/all', {
          body: { layerGroup: { publishables: { published: [{ '@type': 'layerGroup', name: inner }] } } },
        })
        assert.equal(cycle.status, 400, cycle.text)
        assert.equal(cycle.json.code, 'layer-group-cycle', cycle.text)
      }
      assert.deepEqual(await squaresOf(map('all')), [red, red, red])
    })

    it('contain groups in ten levels at most', async () => {
      await createGroup('/rest/layergroups', { name: 'level0', publishables: published('default:east') })
      const contain = (level: number) => ({
        layerGroup: {
          name: `level${level}`,
          publishables: { published: { '@type': 'layerGroup', name: `level${level - 1}` } },
        },
      })
      for (let level = 1; level <= 10; level += 1)
        await createGroup('/rest/layergroups', contain(level).layerGroup)
      const deeper = await send('POST', '/rest/layergroups', { body: contain(11) })
      assert.equal(deeper.json.code, 'too-many-levels', deeper.text)
      // Also where an inner group grows.
      const grown = await send('PUT', '/rest/layergroups/level0', {
        body: {
          layerGroup: { publishables: { published: { '@type': 'layerGroup', name: 'default:pair' } } },
        },
      })
      assert.equal(grown.json.code, 'too-many-levels', grown.text)
      assert.deepEqual(await squaresOf(map('level10')), [nothing, nothing, red])
    })

    it('change by the state that was read, and lose what is deleted', async () => {
      await createGroup('/rest/workspaces/default/layergroups', {
        name: 'short',
        publishables: published('west', 'middle'),
      })
      const path = '/rest/workspaces/default/layergroups/short'
      const { headers } = await send('GET', path)
      const match = { 'if-match': String(headers.etag) }
      const body = { layerGroup: { title: 'Only the middle', publishables: published('middle') } }
      const changed = await send('PUT', path, { body, headers: match })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual(await squaresOf(map('default:short')), [nothing, blue, nothing])
      const late = await send('PUT', path, { body, headers: match })
      assert.equal(late.status, 412)
      const removed = await send('DELETE', '/rest/layers/default:middle?recurse=true')
      assert.equal(removed.status, 200, removed.text)
      const gone = await send('GET', map('default:short'))
      assert.equal(gone.status, 404)
      assert.deepEqual(await squaresOf(map('default:pair')), [red, nothing, nothing])
      assert.equal((await send('DELETE', path)).status, 200)
      assert.equal((await send('GET', path)).status, 404)
    })
  })
}
