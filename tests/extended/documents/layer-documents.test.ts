import assert from 'node:assert/strict'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { shapefileZip } from '../../support/geoserver-rest.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'
import { pointsJson } from '../../support/versioned-layers.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const password = 'e2e-password'

describe('docs of finding, filtering, paging and downloading layers', () => {
  it('has commands that do what they say', async (t) => {
    const folder = temporaryData(t)
    symlinkSync(join(root, 'bin'), join(folder, 'bin'))
    const env = {
      TERRANE_DATA: join(folder, 'data'),
      TERRANE_PORT: '0',
      TERRANE_SAMPLE: 'off',
      TERRANE_ADMIN_PASSWORD: password,
      TERRANE_PASSWORD: password,
      PASSWORD: password,
    }
    const server = startTerrane(t, ['serve'], env)
    const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    const run = async (commands: string): Promise<string> => {
      const text = commands.replaceAll('http://127.0.0.1:8080', url)
      const printedText = await runCommands(text, { ...env, TERRANE_PORT: new URL(url).port }, folder)
      assert.equal(printedText.code, 0, `${printedText.stdout}${printedText.stderr}`)
      return printedText.stdout
    }
    writeFileSync(join(folder, 'boundary_land.geojson'), pointsJson([['a', 1, 2]]))
    await run(`bin/terrane.mjs import boundary_land.geojson --store default --url ${url}`)
    const found = await run(blockAt('docs/finding-layers.md > Finding layers > sh 1'))
    assert.match(found, /"name":"boundary_land".*"bounds":\[1,2,1,2\].*"total":1/)
    assert.match(found, /\ndefault:boundary_land .*vector +1 +EPSG:4326/)
    const filtered = await run(blockAt('docs/filters.md > Filters > sh 1'))
    assert.match(filtered, /"name":"a".*"numberMatched":1,.*\/queryables"/s)
    const ordered = await run(blockAt('docs/ogc-api.md > OGC API Features > sh 1'))
    assert.match(ordered, /"geometry":null,"properties":\{"name":"a"\}.*"numberMatched":1,.*\/sortables"/s)
    const formats = await run(blockAt('docs/ogc-api.md > Formats > sh 1'))
    assert.match(
      formats,
      /^id,name,WKT\r\n1,"a","POINT \(1 2\)"\r\n.*<a:boundary_land .*<gml:pos>1 2<.*<xs:schema /s,
    )
    const state = await run(blockAt('docs/finding-layers.md > State of the server > sh 1'))
    assert.match(state, /"zone":"Europe\/Berlin","layers":\{"total":1,"public":0,"problems":0\},"requests":/)
    writeFileSync(
      join(folder, 'trees.geojson'),
      pointsJson([
        ['ash', 9, 50],
        ['oak', 10, 50],
      ]),
    )
    await run(`bin/terrane.mjs import trees.geojson --store default --url ${url}`)
    const map = await run(blockAt('docs/maps.md > Saved maps > sh 1'))
    assert.match(map, /"name":"trees","title":"Trees".*"opacity":0\.5.*"name":"trees".*"omittedLayers":0/s)
    const group = await run(blockAt('docs/layer-groups.md > Layer groups > sh 1'))
    assert.match(group, /"name":"base","mode":"SINGLE".*"name":"default:trees".*"bounds":/s)
    writeFileSync(join(folder, 'roads.zip'), await shapefileZip('roads'))
    const rest = await run(blockAt("docs/geoserver-rest.md > GeoServer's configuration REST > sh 1"))
    assert.match(rest, /city\s*\{"dataStore":\{"name":"roads".*<layer><name>roads<\/name>/s)
    const printed = await run(blockAt('docs/downloads.md > Downloads > sh 1'))
    assert.match(printed, /trees\.fgb: .*B, 2 rows\nNot as in the layer:\n {2}Times of day/)
    const ends = { 'trees.gpkg': 'SQLite', 'tall.zip': 'PK', 'trees.fgb': 'fgb' }
    for (const [name, head] of Object.entries(ends))
      assert.ok(readFileSync(join(folder, name), 'latin1').startsWith(head), name)
    assert.equal(readFileSync(join(folder, 'tall.csv'), 'utf8'), 'id,name,WKT\r\n1,"ash","POINT (9 50)"\r\n')
    rmSync(join(folder, 'trees.gpkg'))
    const job = await run(blockAt('docs/downloads.md > Immediate and background downloads > sh 1'))
    assert.match(job, /"state":"(PENDING|RUNNING|COMPLETE)".*"expires"/)
    assert.ok(readFileSync(join(folder, 'trees.gpkg'), 'latin1').startsWith('SQLite'))
  })
})
