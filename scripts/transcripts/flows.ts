import { editing } from './editing.ts'
import { proposedKeys } from './proposed-keys.ts'
import { rejectedRows } from './rejected-rows.ts'
import type { Flow, FlowStep } from './steps.ts'
import { curl, get, imports, items, json, run, send, treesImport } from './steps.ts'
import { versionsAndUndo } from './versions.ts'

export type { Flow, FlowStep } from './steps.ts'

const makeWorkspace: FlowStep = {
  says: 'Create a workspace for the layers.',
  command: curl(
    `-X POST http://localhost:8080/rest/workspaces ${json} \\\n  -d '{"workspace":{"name":"atlas"}}'`,
  ),
}

const makeStore: FlowStep = {
  says: 'Create a store in it, here a new GeoPackage in the data directory.',
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
    { says: 'Upload the file.', command: curl(`-F filedata=@country-labels.csv ${imports}/${id}/tasks`) },
    { says: 'Set the CRS.', command: send('PUT', `${task}/layer`, '{"layer":{"srs":"EPSG:4326"}}') },
    {
      says: 'Create points from the coordinate columns.',
      command: send(
        'POST',
        `${task}/transforms`,
        '{"type":"AttributesToPointGeometryTransform","latField":"lat","lngField":"lon"}',
      ),
    },
    { says: 'Set the mode.', command: send('PUT', task, `{"task":{"updateMode":"${updateMode}"}}`) },
    { says: 'Run the import.', command: run(`/${id}`) },
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
        says: 'Copy the directory into an import root (`TERRANE_IMPORT_ROOTS`).',
        command: 'cp -r sample/natural-earth data/incoming/',
      },
      {
        says: 'Create an import of the directory. Nothing is loaded yet.',
        command: send(
          'POST',
          '',
          '{"import":{"targetWorkspace":{"workspace":{"name":"atlas"}},"data":{"type":"directory","location":"natural-earth"}}}',
        ),
      },
      { says: 'One task for each file, and every task is READY.', command: get('/0/tasks') },
      { says: 'Show one task.', command: get('/0/tasks/0') },
      { says: 'Run the import in the background.', command: run('/0?async=true') },
      {
        says: 'Repeat the request until the import is COMPLETE.',
        command: get('/0'),
        until: /"state": "COMPLETE(?:_ERROR)?",$/m,
      },
      { says: 'Show the result of a task.', command: get('/0/tasks/2/progress') },
      {
        says: 'List the published layers.',
        command: curl('http://localhost:8080/rest/workspaces/atlas/layers'),
      },
      {
        says: 'Read one of the 185 features of a layer.',
        command: items('atlas:boundary_lines', 'limit=1&offset=100'),
      },
    ],
  },
  {
    name: 'flow-2-missing-crs',
    title: 'Flow 2: a file without a CRS',
    about: 'The file is `tests/fixtures/shapefile/blockgroups.shp`, which has no `.prj`.',
    steps: [
      makeWorkspace,
      makeStore,
      {
        says: 'Copy the file into an import root.',
        command: 'cp tests/fixtures/shapefile/blockgroups.* data/incoming/',
      },
      {
        says: 'Create an import of the file. Its task is NO_CRS.',
        command: send(
          'POST',
          '',
          '{"import":{"targetWorkspace":{"workspace":{"name":"atlas"}},"targetStore":{"dataStore":{"name":"places"}},"data":{"type":"file","file":"blockgroups.shp"}}}',
        ),
      },
      { says: 'The layer of the task has no `srs` yet.', command: get('/0/tasks/0/layer') },
      { says: 'The import cannot be run; the response gives the reason.', command: run('/0') },
      {
        says: 'A number alone is not a CRS.',
        command: send('PUT', '/0/tasks/0/layer', '{"layer":{"srs":"4269"}}'),
      },
      { says: 'Set the CRS.', command: send('PUT', '/0/tasks/0/layer', '{"layer":{"srs":"EPSG:4269"}}') },
      { says: 'The task is READY, the import stays PENDING.', command: get('/0') },
      { says: 'Run the import.', command: run('/0') },
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
      { says: 'Create an import without data.', command: send('POST', '', intoStore) },
      {
        says: 'The file is uploaded; it becomes a task without CRS.',
        command: curl(`-F name=test -F filedata=@country-labels.csv ${imports}/0/tasks`),
      },
      { says: 'Set the CRS.', command: send('PUT', '/0/tasks/0/layer', '{"layer":{"srs":"EPSG:4326"}}') },
      {
        says: 'Create points from two columns.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"AttributesToPointGeometryTransform","latField":"lat","lngField":"lon"}',
        ),
      },
      { says: 'Show the transformations.', command: get('/0/tasks/0/transforms') },
      { says: 'Run the import.', command: run('/0') },
      { says: 'The import is COMPLETE.', command: get('/0') },
      {
        says: 'The points can be read; both columns are gone.',
        command: items('atlas:country_labels', 'limit=1'),
      },
      ...reload(1, 'APPEND', 'The layer has twice as many features.'),
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
        says: 'Create an import with a workspace only.',
        command: send('POST', '', '{"import":{"targetWorkspace":{"workspace":{"name":"atlas"}}}}'),
      },
      {
        says: 'The raster is uploaded; its CRS is known.',
        command: curl(`-F filedata=@tests/fixtures/raster/RGB.byte.tif ${imports}/0/tasks`),
      },
      {
        says: 'Add a transformation that warps the raster.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"RasterWarpTransform","options":["-t_srs","EPSG:3857","-r","bilinear"]}',
        ),
      },
      {
        says: 'Add a transformation that writes compressed tiles.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"RasterTranslateTransform","options":["-co","TILED=YES","-co","COMPRESS=DEFLATE"]}',
        ),
      },
      {
        says: 'Add a transformation that builds overviews.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"RasterOverviewTransform","options":["-r","average"],"levels":[2,4]}',
        ),
      },
      {
        says: 'An option that would read another file is rejected.',
        command: send(
          'POST',
          '/0/tasks/0/transforms',
          '{"type":"RasterWarpTransform","options":["-cutline","/srv/secret.shp"]}',
        ),
      },
      { says: 'Show the transformations.', command: get('/0/tasks/0/transforms') },
      { says: 'Run the import.', command: run('/0') },
      { says: 'The import is COMPLETE.', command: get('/0') },
      { says: 'Show the store of the coverage.', command: get('/0/tasks/0/target') },
      { says: 'The layer has the CRS and bounds of the result.', command: get('/0/tasks/0/layer') },
      {
        says: 'Show size, CRS, bands and overviews of the file with GDAL.',
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
        says: 'Create an import of the remote archive in the background. The password is never shown.',
        command: send(
          'POST',
          '?async=true',
          '{"import":{"targetWorkspace":{"workspace":{"name":"atlas"}},"data":{"type":"remote",\n  "location":"http://127.0.0.1:8090/archives/utf.zip","username":"someone","password":"secret"}}}',
        ),
      },
      {
        says: 'Repeat the request until the archive is fetched and unpacked.',
        command: get('/0'),
        until: /^ {4}"state": "(?:PENDING|INIT_ERROR)",$/m,
      },
      { says: 'Show the data of the import.', command: get('/0/data') },
      { says: 'Run the import in the background.', command: run('/0?async=true') },
      {
        says: 'Repeat the request until the import is COMPLETE. The password has been deleted.',
        command: get('/0'),
        until: /^ {4}"state": "COMPLETE(?:_ERROR)?",$/m,
      },
      {
        says: 'Missing data result in INIT_ERROR.',
        command: send(
          'POST',
          '',
          '{"import":{"data":{"type":"remote","location":"http://127.0.0.1:8090/archives/none.zip"}}}',
        ),
      },
      {
        says: 'So does a URL that is not allowed.',
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
    title: 'Flow 6: a dry run and a stopped load',
    about: 'A dry run reports what a REPLACE would change in a layer; then a limit stops the load.',
    steps: [
      {
        says: 'Write a file of trees, the state of Monday.',
        command: "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,ash,52.1,13.1\\n3,elm,52.2,13.2\\n' > trees.csv",
      },
      ...treesImport(0, '"updateMode":"CREATE"'),
      { says: 'Run the import.', command: run('/0') },
      {
        says: 'Write the state of Tuesday: one tree changed, one removed, one added, and one without valid coordinates.',
        command:
          "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,lime,52.1,13.1\\n4,yew,52.3,13.3\\n5,fir,north,13.4\\n' > trees.csv",
      },
      ...treesImport(
        1,
        '"updateMode":"REPLACE","keys":["id"],"rejectLimit":1,"stopIf":{"removed":{"percent":10}}',
      ),
      { says: 'Start a dry run: everything except the commit.', command: run('/1/dry-run') },
      { says: 'List the changes.', command: get('/1/dry-run/tasks/0/changes?format=csv') },
      { says: 'Run the import. The run uses the staged rows, and its limit stops it.', command: run('/1') },
      { says: 'Show the measured values.', command: get('/1/tasks/0?expand=1') },
      {
        says: 'Accept the stopped load.',
        command: send('POST', '/1/tasks/0/accept', '{"stopped":["removed"]}'),
      },
      { says: 'Show the layer.', command: items('default:trees', 'limit=10') },
    ],
  },
  {
    name: 'flow-7-preview',
    title: 'Flow 7: a preview before the load',
    about: 'Rows, columns and a map of a table without a known CRS. Nothing is loaded.',
    steps: [
      {
        says: 'Write a file of trees with coordinates in an undeclared CRS.',
        command:
          "printf 'id,kind,WKT\\n1,oak,POINT (391000 5820000)\\n2,ash,POINT (391050 5820020)\\n3,oak,\\n4,elm,north of the oak\\n' > trees.csv",
      },
      { says: 'Create an import.', command: send('POST', '', '{"import":{}}') },
      {
        says: 'Upload the file. The task needs a CRS.',
        command: curl(`-F filedata=@trees.csv ${imports}/0/tasks`),
      },
      { says: 'Show the first rows with unchanged coordinates.', command: get('/0/tasks/0/rows?limit=2') },
      {
        says: 'Show the statistics of the columns when all rows are counted.',
        command: get('/0/tasks/0/columns?wait=30'),
      },
      { says: 'A map needs a CRS.', command: get('/0/tasks/0/preview.geojson') },
      {
        says: 'Preview the data in one CRS.',
        command: curl(`'${imports}/0/tasks/0/preview.geojson?limit=2&srs=EPSG:25833'`),
      },
      {
        says: 'Preview the data in another CRS.',
        command: curl(`'${imports}/0/tasks/0/preview.geojson?limit=2&srs=EPSG:25832'`),
      },
      {
        says: 'Get a vector tile in the first CRS and list its layer with GDAL.',
        command: `curl -u admin:$PASSWORD -o tile.mvt '${imports}/0/tasks/0/preview/0/0/0.mvt?srs=EPSG:25833'\nogrinfo -q MVT:tile.mvt`,
      },
      { says: 'Get the rows to be loaded as CSV.', command: curl(`'${imports}/0/tasks/0/rows?f=csv'`) },
    ],
  },
  {
    name: 'flow-8-upsert',
    title: 'Flow 8: an upsert',
    about: 'Loads new and changed rows and, as requested, deletes missing ones.',
    steps: [
      {
        says: 'Write a file of trees, the state of Monday.',
        command: "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,ash,52.1,13.1\\n3,elm,52.2,13.2\\n' > trees.csv",
      },
      ...treesImport(0, '"updateMode":"CREATE"'),
      { says: 'Run the import.', command: run('/0') },
      {
        says: 'Write the state of Tuesday: one tree changed, one removed, one added, and one duplicated.',
        command:
          "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,lime,52.1,13.1\\n4,yew,52.3,13.3\\n4,fir,52.4,13.4\\n' > trees.csv",
      },
      ...treesImport(1, '"updateMode":"UPSERT","keys":["id"],"deleteMissing":true'),
      { says: 'Run the import.', command: run('/1') },
      { says: 'Show the result.', command: get('/1/tasks/0') },
      { says: 'Get the rejected row.', command: get('/1/tasks/0/rejects?f=csv') },
      { says: 'List the changes.', command: get('/1/tasks/0/changes?format=csv') },
      { says: 'The layer: changed rows keep their ids.', command: items('default:trees', 'limit=10') },
    ],
  },
  rejectedRows,
  editing,
  proposedKeys,
  versionsAndUndo,
]
