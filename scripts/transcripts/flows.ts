import { editing } from './editing.ts'
import { proposedKeys } from './proposed-keys.ts'
import { rejectedRows } from './rejected-rows.ts'
import type { Flow, FlowStep } from './steps.ts'
import { curl, get, imports, items, json, run, send, treesImport } from './steps.ts'
import { versionsAndUndo } from './versions.ts'

export type { Flow, FlowStep } from './steps.ts'

const makeWorkspace: FlowStep = {
  says: 'A workspace for the layers.',
  command: curl(
    `-X POST http://localhost:8080/rest/workspaces ${json} \\\n  -d '{"workspace":{"name":"atlas"}}'`,
  ),
}

const makeStore: FlowStep = {
  says: 'A store in it, here a new GeoPackage in the data directory.',
  command: curl(
    `-X POST http://localhost:8080/rest/workspaces/atlas/datastores ${json} \\\n  -d '{"dataStore":{"name":"places","type":"GeoPackage"}}'`,
  ),
}

const intoStore =
  '{"import":{"targetWorkspace":{"workspace":{"name":"atlas"}},"targetStore":{"dataStore":{"name":"places"}}}}'

/** Upload, CRS, point geometry and execution of the table, with the relevant responses. */
function reload(id: number, updateMode: 'APPEND' | 'REPLACE', outcome: string): FlowStep[] {
  const task = `/${id}/tasks/0`
  return [
    {
      says: `The same table once more with \`${updateMode}\`: another import, the same steps, and the mode set on the task.`,
      command: send('POST', '', intoStore),
    },
    { says: 'Upload.', command: curl(`-F filedata=@country-labels.csv ${imports}/${id}/tasks`) },
    { says: 'The CRS.', command: send('PUT', `${task}/layer`, '{"layer":{"srs":"EPSG:4326"}}') },
    {
      says: 'The points.',
      command: send(
        'POST',
        `${task}/transforms`,
        '{"type":"AttributesToPointGeometryTransform","latField":"lat","lngField":"lon"}',
      ),
    },
    { says: 'The mode.', command: send('PUT', task, `{"task":{"updateMode":"${updateMode}"}}`) },
    { says: 'Execution.', command: run(`/${id}`) },
    { says: outcome, command: items('atlas:country_labels', 'limit=1') },
  ]
}

export const flows: Flow[] = [
  {
    name: 'flow-1-directory',
    title: 'Flow 1: a directory becomes one layer for each file',
    about: 'The directory is that of the sample data: two Shapefiles and a GeoJSON file of Natural Earth.',
    steps: [
      makeWorkspace,
      {
        says: 'The directory goes to a place where imports may name files (`TERRANE_IMPORT_ROOTS`).',
        command: 'cp -r sample/natural-earth data/incoming/',
      },
      {
        says: 'An import of the directory into the workspace. Nothing is executed yet.',
        command: send(
          'POST',
          '',
          '{"import":{"targetWorkspace":{"workspace":{"name":"atlas"}},"data":{"type":"directory","location":"natural-earth"}}}',
        ),
      },
      { says: 'One task for each file, and every task is READY.', command: get('/0/tasks') },
      { says: 'One of them.', command: get('/0/tasks/0') },
      { says: 'Execution. The answer comes at once.', command: run('/0?async=true') },
      {
        says: 'Asked again until it is COMPLETE.',
        command: get('/0'),
        until: /"state": "COMPLETE(?:_ERROR)?",$/m,
      },
      { says: 'What became of a task.', command: get('/0/tasks/2/progress') },
      { says: 'The layers, published.', command: curl('http://localhost:8080/rest/workspaces/atlas/layers') },
      {
        says: 'And read: 185 lines, one of them here.',
        command: items('atlas:boundary_lines', 'limit=1&offset=100'),
      },
    ],
  },
  {
    name: 'flow-2-missing-crs',
    title: 'Flow 2: a file that names no CRS',
    about: 'The file is `tests/fixtures/shapefile/blockgroups.shp`, which has no `.prj`.',
    steps: [
      makeWorkspace,
      makeStore,
      {
        says: 'The file goes to a place where imports may name files.',
        command: 'cp tests/fixtures/shapefile/blockgroups.* data/incoming/',
      },
      {
        says: 'An import of the file. Its task comes out as NO_CRS.',
        command: send(
          'POST',
          '',
          '{"import":{"targetWorkspace":{"workspace":{"name":"atlas"}},"targetStore":{"dataStore":{"name":"places"}},"data":{"type":"file","file":"blockgroups.shp"}}}',
        ),
      },
      { says: 'The layer of the task has no `srs` yet.', command: get('/0/tasks/0/layer') },
      { says: 'It cannot be executed; the answer says why.', command: run('/0') },
      {
        says: 'A number alone is not a CRS.',
        command: send('PUT', '/0/tasks/0/layer', '{"layer":{"srs":"4269"}}'),
      },
      {
        says: 'The CRS is given.',
        command: send('PUT', '/0/tasks/0/layer', '{"layer":{"srs":"EPSG:4269"}}'),
      },
      { says: 'The task is READY, the import stays PENDING.', command: get('/0') },
      { says: 'Execution.', command: run('/0') },
      { says: 'Import and task are COMPLETE.', command: get('/0') },
      { says: 'Every row was loaded.', command: get('/0/tasks/0/progress') },
    ],
  },
  {
    name: 'flow-3-table-into-a-database',
    title: 'Flow 3: a table into a database',
    about: [
      'The table is `tests/fixtures/csv/country-labels.csv`: name, code, population, latitude and longitude of the',
      'countries of Natural Earth. The database is a GeoPackage here. With PostGIS only the store differs:',
      '',
      '```json',
      '{"dataStore":{"name":"places","type":"PostGIS","connectionParameters":{"host":"...","port":"5432",',
      '  "database":"...","schema":"public","user":"...","passwd":"..."}}}',
      '```',
    ].join('\n'),
    steps: [
      makeWorkspace,
      makeStore,
      { says: 'An import without data.', command: send('POST', '', intoStore) },
      {
        says: 'The file is uploaded; it becomes a task without CRS.',
        command: curl(`-F name=test -F filedata=@country-labels.csv ${imports}/0/tasks`),
      },
      { says: 'The CRS.', command: send('PUT', '/0/tasks/0/layer', '{"layer":{"srs":"EPSG:4326"}}') },
      {
        says: 'Two columns become a point.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"AttributesToPointGeometryTransform","latField":"lat","lngField":"lon"}',
        ),
      },
      { says: 'The chain.', command: get('/0/tasks/0/transforms') },
      { says: 'Execution.', command: run('/0') },
      { says: 'The import is COMPLETE.', command: get('/0') },
      {
        says: 'The points can be read; both columns are gone.',
        command: items('atlas:country_labels', 'limit=1'),
      },
      ...reload(1, 'APPEND', 'Twice as many.'),
      ...reload(2, 'REPLACE', 'The layer is the same, its contents were swapped.'),
    ],
  },
  {
    name: 'flow-4-raster',
    title: 'Flow 4: a raster is warped, compressed and given overviews',
    about:
      'The raster is `tests/fixtures/raster/RGB.byte.tif`: three bands in UTM zone 18 north, in strips and without overviews.',
    steps: [
      makeWorkspace,
      {
        says: 'An import with a workspace alone.',
        command: send('POST', '', '{"import":{"targetWorkspace":{"workspace":{"name":"atlas"}}}}'),
      },
      {
        says: 'The raster is uploaded; its CRS is known.',
        command: curl(`-F filedata=@tests/fixtures/raster/RGB.byte.tif ${imports}/0/tasks`),
      },
      {
        says: 'It shall be warped first.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"RasterWarpTransform","options":["-t_srs","EPSG:3857","-r","bilinear"]}',
        ),
      },
      {
        says: 'Then it is written in compressed tiles.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"RasterTranslateTransform","options":["-co","TILED=YES","-co","COMPRESS=DEFLATE"]}',
        ),
      },
      {
        says: 'Then it gets overviews.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"RasterOverviewTransform","options":["-r","average"],"levels":[2,4]}',
        ),
      },
      {
        says: 'An option that would read another file is refused.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"RasterWarpTransform","options":["-cutline","/srv/secret.shp"]}',
        ),
      },
      { says: 'The chain.', command: get('/0/tasks/0/transforms') },
      { says: 'Execution.', command: run('/0') },
      { says: 'The import is COMPLETE.', command: get('/0') },
      { says: 'Where the coverage lies.', command: get('/0/tasks/0/target') },
      { says: 'The layer has the CRS and bounds of the result.', command: get('/0/tasks/0/layer') },
      {
        says: 'What GDAL says of the file: size, CRS, bands and overviews.',
        command: `gdalinfo data/stores/atlas/*/RGB.byte.tif |\\\n  grep -E '^(Driver|Size)|ID..EPSG.,3857|COMPRESSION|^Band|Overviews'`,
      },
    ],
  },
  {
    name: 'flow-5-remote',
    title: 'Flow 5: remote data are fetched in the background',
    about: [
      'A web server on port 8090 gives `tests/fixtures/archives/utf.zip`, a zip with a Shapefile. It stands on the same',
      'host, so Terrane was started with `TERRANE_REMOTE_ALLOW=127.0.0.1`.',
    ].join('\n'),
    steps: [
      makeWorkspace,
      {
        says: 'An import of the remote archive. The answer comes at once; the password is never shown.',
        command: send(
          'POST',
          '?async=true',
          '{"import":{"targetWorkspace":{"workspace":{"name":"atlas"}},"data":{"type":"remote",\n  "location":"http://127.0.0.1:8090/archives/utf.zip","username":"someone","password":"secret"}}}',
        ),
      },
      {
        says: 'Asked again until the archive was fetched and unpacked.',
        command: get('/0'),
        until: /^ {4}"state": "(?:PENDING|INIT_ERROR)",$/m,
      },
      { says: 'Its data.', command: get('/0/data') },
      { says: 'Execution. The answer comes at once.', command: run('/0?async=true') },
      {
        says: 'Asked again until it is COMPLETE. The password is no longer kept.',
        command: get('/0'),
        until: /^ {4}"state": "COMPLETE(?:_ERROR)?",$/m,
      },
      {
        says: 'Data that are not there make an INIT_ERROR.',
        command: send(
          'POST',
          '',
          '{"import":{"data":{"type":"remote","location":"http://127.0.0.1:8090/archives/none.zip"}}}',
        ),
      },
      {
        says: 'An address that is not allowed does too.',
        command: send(
          'POST',
          '',
          '{"import":{"data":{"type":"remote","location":"http://169.254.169.254/latest"}}}',
        ),
      },
    ],
  },
  {
    name: 'flow-6-dry-run',
    title: 'Flow 6: a dry run, and a load that is stopped',
    about: 'A dry run reports what a REPLACE would change in a layer; then a limit stops the load.',
    steps: [
      {
        says: 'Trees on Monday, as a layer.',
        command: "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,ash,52.1,13.1\\n3,elm,52.2,13.2\\n' > trees.csv",
      },
      ...treesImport(0, '"updateMode":"CREATE"'),
      { says: 'Execution.', command: run('/0') },
      {
        says: 'On Tuesday one has changed, one is gone, one is new, and one stands nowhere.',
        command:
          "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,lime,52.1,13.1\\n4,yew,52.3,13.3\\n5,fir,north,13.4\\n' > trees.csv",
      },
      ...treesImport(
        1,
        '"updateMode":"REPLACE","keys":["id"],"rejectLimit":1,"stopIf":{"removed":{"percent":10}}',
      ),
      { says: 'The dry run: everything but the commit.', command: run('/1/dry-run') },
      { says: 'The changes one by one.', command: get('/1/dry-run/tasks/0/changes?format=csv') },
      { says: 'A run takes what was staged, and its limit stops it.', command: run('/1') },
      { says: 'What was measured.', command: get('/1/tasks/0?expand=1') },
      {
        says: 'A person lets this load through.',
        command: send('POST', '/1/tasks/0/accept', '{"stopped":["removed"]}'),
      },
      { says: 'The layer.', command: items('default:trees', 'limit=10') },
    ],
  },
  {
    name: 'flow-7-look',
    title: 'Flow 7: a look before the load',
    about: 'Rows, columns and a map of a table whose CRS nobody has said yet. Nothing is loaded.',
    steps: [
      {
        says: 'Trees whose places are in a CRS that the file does not name.',
        command:
          "printf 'id,kind,WKT\\n1,oak,POINT (391000 5820000)\\n2,ash,POINT (391050 5820020)\\n3,oak,\\n4,elm,north of the oak\\n' > trees.csv",
      },
      { says: 'An import of them.', command: send('POST', '', '{"import":{}}') },
      {
        says: 'Upload: the task waits for a CRS.',
        command: curl(`-F filedata=@trees.csv ${imports}/0/tasks`),
      },
      { says: 'The first rows, with the coordinates as they are.', command: get('/0/tasks/0/rows?limit=2') },
      {
        says: 'What the columns hold, when everything is counted.',
        command: get('/0/tasks/0/columns?wait=30'),
      },
      { says: 'A map needs a CRS.', command: get('/0/tasks/0/preview.geojson') },
      {
        says: 'Where the data would fall in one.',
        command: curl(`'${imports}/0/tasks/0/preview.geojson?limit=2&srs=EPSG:25833'`),
      },
      {
        says: 'And in another.',
        command: curl(`'${imports}/0/tasks/0/preview.geojson?limit=2&srs=EPSG:25832'`),
      },
      {
        says: 'A vector tile of the first, of which GDAL tells the layer.',
        command: `curl -u admin:$PASSWORD -o tile.mvt '${imports}/0/tasks/0/preview/0/0/0.mvt?srs=EPSG:25833'\nogrinfo -q MVT:tile.mvt`,
      },
      {
        says: 'The rows as they would be loaded, as CSV.',
        command: curl(`'${imports}/0/tasks/0/rows?f=csv'`),
      },
    ],
  },
  {
    name: 'flow-8-upsert',
    title: 'Flow 8: an upsert',
    about:
      'Rows that are new or differ by value are loaded; those that are gone are deleted, since that is asked for.',
    steps: [
      {
        says: 'Trees on Monday, as a layer.',
        command: "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,ash,52.1,13.1\\n3,elm,52.2,13.2\\n' > trees.csv",
      },
      ...treesImport(0, '"updateMode":"CREATE"'),
      { says: 'Execution.', command: run('/0') },
      {
        says: 'On Tuesday one has changed, one is gone, one is new, and one comes twice.',
        command:
          "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,lime,52.1,13.1\\n4,yew,52.3,13.3\\n4,fir,52.4,13.4\\n' > trees.csv",
      },
      ...treesImport(1, '"updateMode":"UPSERT","keys":["id"],"deleteMissing":true'),
      { says: 'Execution.', command: run('/1') },
      { says: 'What became of it.', command: get('/1/tasks/0') },
      { says: 'The row that was rejected.', command: get('/1/tasks/0/rejects?f=csv') },
      { says: 'What was changed.', command: get('/1/tasks/0/changes?format=csv') },
      { says: 'The layer: changed rows keep their ids.', command: items('default:trees', 'limit=10') },
    ],
  },
  rejectedRows,
  editing,
  proposedKeys,
  versionsAndUndo,
]
