import { ownValue } from '../core/values/record-keys.ts'

const overview = `terrane: takes spatial data in, publishes it as layers, and watches how they are used

  terrane serve             serves the REST interface until it is stopped
  terrane work              runs imports and other jobs of servers that share a PostgreSQL catalogue
  terrane import PATH...    imports files and folders, or tables of a database
  terrane look IMPORT       shows rows and columns of an import before anything is loaded
  terrane download LAYER    writes a layer, or what a filter leaves of it, into a file
  terrane export LAYER      writes all vector tiles of a layer into one file, MBTiles or PMTiles
  terrane workspaces        lists, makes, changes and deletes workspaces
  terrane stores            the same for stores
  terrane layers            the same for layers
  terrane styles            the same for styles
  terrane imports           lists imports, finishes those that wait, downloads rejected rows and submits corrected ones
  terrane sources           repeats imports: lists, runs and pauses sources, shows their history, exports and imports YAML
  terrane users             the same for users
  terrane groups            the same for groups of users
  terrane permissions       lists, creates and deletes permissions
  terrane access            explains who may do what
  terrane tokens            the same for your own tokens, which let scripts in
  terrane monitoring        tells how the server and what it watches are, configures that, loads older numbers
  terrane config            checks the settings and shows where each has its value from
  terrane usage report      reports who used which layers in a month or another period
  terrane doctor            tells what is installed and what each missing part costs
  terrane audit             lists and verifies the audit log
  terrane jobs              lists background jobs that failed, and repeats them
  terrane nodes             lists the servers that share the catalogue
  terrane backup TARGET     backs up catalogue, files and key while servers go on working
  terrane restore SOURCE    restores such a backup into an empty data directory and database
  terrane key               changes the key that encrypts stored passwords
  terrane completion SHELL  prints the completion script of bash, zsh or fish
  terrane --version

\`terrane help COMMAND\` tells the options of a command. Settings are environment variables and the file terrane.toml: see docs/settings.md.`

const access = `      --json           prints what the server answers
      --url URL        a running server, such as http://localhost:8080
  -u, --user NAME      its user (default: admin); the password is TERRANE_PASSWORD, or is asked for`

/** Explains how commands other than `import` find a server. */
const ownServer = `Without --url it takes the server that runs under the same settings, or starts one for this call. A token in
TERRANE_TOKEN does in place of user and password.`

const details: Record<string, string> = {
  serve: `terrane serve: serves the REST interface until it is stopped

      --port N         the port, in place of TERRANE_PORT; 0 takes a free one
      --host ADDRESS   the address to listen on, in place of TERRANE_HOST
      --data FOLDER    the data directory, in place of TERRANE_DATA

Settings are environment variables, such as TERRANE_PORT and TERRANE_DATA: see docs/settings.md. The first start imports
the sample data, unless TERRANE_SAMPLE=off.`,
  work: `terrane work: runs the jobs of a PostgreSQL catalogue until it is stopped, as TERRANE_ROLES=work

      --port N         the port, in place of TERRANE_PORT; 0 takes a free one
      --host ADDRESS   the address to listen on, in place of TERRANE_HOST
      --data FOLDER    the data directory, in place of TERRANE_DATA

It answers /health and /metrics only. Servers with the role serve answer requests.`,
  import: `terrane import PATH...: imports files and folders, each as new layers or into existing ones
terrane import --database ADDRESS: imports tables of a database, each as a layer
terrane import - --name FILE: imports standard input, whose format and layer the name of a file tells

  -d, --database A     postgres://user:password@host:port/name[?schema=s], mysql://..., or a GeoPackage or SQLite
                       file of an import root
  -t, --table T        a table of it, as often as needed (default: all, and views that have a geometry)
  -w, --workspace W    workspace of the layers (default: the server's default workspace)
      --create-workspace   makes that workspace where there is none
  -s, --store S        store to load into (default: served as they are, or the workspace's default store)
      --srs EPSG:n     coordinate system of data that name none
      --reproject EPSG:n   coordinate system to which data are brought whose own one has no code
      --lat C --lon C  columns with latitude and longitude of data without geometry, which become points
      --x C --y C      the same in the coordinate system of --srs
      --table-only     data without geometry become tables
  -m, --mode MODE      create (default), replace, append or upsert
  -k, --keys C,C       columns by which rows are the same: an upsert needs them, and without any names what would do;
                       a dry run compares by them
      --delete-missing an upsert deletes the rows of the layer whose key does not come
      --stop-if LIMIT  stops the load before its commit: removed=10%, changed=1000, fewer=100, columns=lost, crs, or the
                       JSON of \`stopIf\`; as often as needed
      --dry-run       does everything but the commit, and reports what a run would change
      --allow-empty    a replace, or an upsert with --delete-missing, that reads no row empties the layer; it is an error
                       otherwise
      --public         everyone may read the layers, without a login
      --name FILE      what standard input is called, such as survey.csv
      --json           prints what became of each task as JSON
      --url URL        a running server, such as http://localhost:8080
  -u, --user NAME      its user (default: admin); the password is TERRANE_PASSWORD, or is asked for

The password of a database is better given as TERRANE_SOURCE_PASSWORD than in its address, which other users of this
machine can see. Importing from a database needs the role admin.

Without --url it takes the server that runs under the same settings, or starts one for this import. Files that the
server may not read by itself are uploaded. At a terminal it asks what to do with a layer that exists already, a
workspace that does not, and data without geometry. The exit code is 1 when anything was not imported.`,
  look: `terrane look IMPORT [TASK]: shows rows and columns of a task before anything of it is loaded

Import and task are named by their ids (default: task 0). All rows are read, transformed as the task says, and counted.

      --rows N         so many of the first rows (default: 5)
      --srs EPSG:n     what the data are taken to be in
${access}

${ownServer}`,
  download: `terrane download LAYER --output FILE: writes a layer, or what a filter leaves of it, into a file

  -o, --output FILE    the file; its ending tells the format where --format does not; - is standard output
  -f, --format F       gpkg, geojson, csv, shp (a zip), fgb, parquet or kml; of coverages tif
      --crs CRS        any CRS, such as EPSG:25832 (default: that of the layer; of GeoJSON and KML WGS 84)
      --bbox=W,S,E,N   only what touches this box, in degrees
      --filter CQL2    only what a filter leaves, such as "height > 10 AND kind = 'oak'"
      --properties A,B only these columns
      --version N      what the layer was at an earlier version
  -w, --workspace W    workspace of the layer (default: the server's default workspace); LAYER may be W:NAME too
${access}

All rows are of one state of the layer. What the format loses is told.
${ownServer}`,
  export: `terrane export LAYER --output FILE: writes all vector tiles of a layer into one file

  -o, --output FILE    the file; its ending tells the format where --format does not; - is standard output
  -f, --format F       mbtiles or pmtiles
      --min-zoom N     first zoom (default: 0)
      --max-zoom N     last zoom, at most 22 (default: 14)
      --version N      the tiles of an earlier version
      --bbox=W,S,E,N   only tiles that touch this box, in degrees
  -w, --workspace W    workspace of the layer (default: the server's default workspace); LAYER may be W:NAME too
${access}

All tiles are of one version of the layer: the file is begun anew where the layer changes meanwhile.
${ownServer}`,
  workspaces: `terrane workspaces [list]
terrane workspaces show NAME
terrane workspaces create NAME [--public] [--default] [QUOTA]
terrane workspaces change NAME [--public | --private] [--default] [QUOTA]   QUOTA: --quota-bytes SIZE, --quota-layers N, --quota-versions N; none removes one
terrane workspaces delete NAME [--recurse]

      --public         everyone may read its layers, without a login
      --private        only users may read them (default)
      --default        it is meant where no workspace is named
      --recurse        deletes its stores, layers and styles as well
${access}

${ownServer}`,
  stores: `terrane stores [list] [--workspace W]
terrane stores show NAME
terrane stores create NAME [--database ADDRESS] [--parameter NAME=VALUE]...
terrane stores create NAME --raster PATH
terrane stores change NAME [--database ADDRESS] [--parameter NAME=VALUE]... [--description TEXT]
terrane stores delete NAME [--recurse]
terrane stores tables NAME
terrane stores rasters NAME

\`tables\` lists the tables of a store: kind, geometry, CRS, key, layer and problems. \`rasters\`
lists the rasters of a folder: size, bands, CRS, layer and problems.

  -w, --workspace W    its workspace (default: the server's default workspace); NAME may be W:NAME too
  -d, --database A     postgres://user@host:port/name[?schema=s], password in TERRANE_SOURCE_PASSWORD, or a GeoPackage;
                       without it a new GeoPackage is made
      --raster PATH    a raster file, or a folder of rasters, below an import root of the server
      --parameter P    a connection parameter, such as schema=city, as often as needed
      --description T  what it is for
      --enable, --disable
      --discover P     publishes tables, or rasters of a folder, in place as soon as they exist; names with * and ?, as often as needed
      --exclude P      except these
      --naming N       name of the layers, with {table} for the name of the table (default: {table})
      --managed M      what may change those tables: none (default), edit or load
      --no-discovery   ends that; the layers stay
      --recurse        deletes its layers as well
${access}

${ownServer}`,
  layers: `terrane layers [list] [--workspace W]
terrane layers find WORDS [--workspace W,W] [--kind K,K] [--public | --private] [--problem] [--sort S]
terrane layers show NAME
terrane layers change NAME [--title T] [--abstract T] [--keyword K]... [--attribution T] [--licence T] [--contact T]
                      [--owner T] [--citation T] [--doi DOI] [--style S] [--further-style S]... [--managed M]
                      [--public | --private | --inherit]
terrane layers publish NAME --store STORE [--name N] [--title T] [--srs CRS] [--managed M]
terrane layers publish --all --store STORE [--include P]... [--exclude P]... [--managed M]
terrane layers delete NAME [--recurse]
terrane layers versions NAME
terrane layers restore NAME VERSION [--what PART]
terrane layers changes NAME VERSION [--against VERSION]

\`terrane import\` creates layers from files; \`publish\` shows tables and views of a database, and raster
files, where they are.

  -w, --workspace W    its workspace (default: the server's default workspace); NAME may be W:NAME too
      --public         everyone may read it, without a login
      --private        only users may read it
      --inherit        what its workspace says counts (default)
      --keyword K      keywords in place of those that it has, as often as needed; none takes all away
      --style S        the style that draws it; --further-style names others that services offer (none: no others)
      --store STORE    the store with the table or raster; STORE may be W:NAME too
      --srs CRS        the CRS of a geometry column or raster that declares none, such as EPSG:25832
      --managed M      what may change a table published in place: none (default), edit or load
      --include P      only tables or rasters of these names, with * and ?; --exclude P: except these
      --recurse        drops its table, or the store of a raster, as well; not a table published in place
      --kind K         vector, raster or table
      --problem        only layers that need a look
      --sort S         relevance (default), title, name, changed, rows or requests
      --what PART      data or style comes back (default: both)
      --against V      what a version becomes at this one (default: the next); the first 100 changes are shown
${access}

${ownServer}`,
  styles: `terrane styles [list] [--workspace W]
terrane styles show NAME
terrane styles download NAME [--format F] [--output FILE]
terrane styles create NAME FILE [--format F]
terrane styles change NAME FILE [--format F]
terrane styles delete NAME [--recurse]

FILE is an SLD, QML or MapLibre document; - is standard input. \`terrane layers change LAYER --style NAME\` draws a layer by it.

  -w, --workspace W    styles of a workspace (default: the global ones)
  -f, --format F       sld, qml or maplibre (default: as the ending of the file tells)
  -o, --output FILE    where the document goes (default: standard output)
      --recurse        layers that it draws are drawn by default styles then
${access}

${ownServer}`,
  sources: `terrane sources [list]
terrane sources show NAME
terrane sources create FILE      creates or changes a source: YAML or JSON with "source"
terrane sources run NAME         starts a run now
terrane sources pause NAME       terrane sources resume NAME
terrane sources history NAME [--limit N]
terrane sources delete NAME      its layers stay
terrane sources export [--output FILE]   all sources as YAML, without passwords
terrane sources import FILE      creates and changes the sources of the file`,
  imports: `terrane imports [list] [--limit N]
terrane imports show IMPORT
terrane imports set-crs IMPORT EPSG:n [--task N]
terrane imports set-columns IMPORT --lat C --lon C [--task N]
terrane imports set-columns IMPORT --x C --y C --srs EPSG:n [--task N]
terrane imports set-columns IMPORT --table-only [--task N]
terrane imports run IMPORT
terrane imports cancel IMPORT [--task N]
terrane imports rejects IMPORT TASK [--output FILE]
terrane imports correct IMPORT TASK FILE [--accept RULES]

\`set-crs\` names the coordinate system of all tasks that wait for one; \`set-columns\` makes points, or tables, of data without
geometry. \`run\` runs what is ready and waits for its end; its exit code is 1 when anything was not imported.

Imports and tasks are named by their ids. \`rejects\` fetches the rows that were not loaded as a file like their source,
with the reason in columns before their own. \`correct\` submits such a file after its rows are corrected: they are added to the layer
of the task. Its exit code is 1 when any row was not loaded.

      --limit N        so many of the newest (default: 50, at most 200)
      --task N         only this task
      --lat, --lon     columns with latitude and longitude
      --x, --y         columns with coordinates in the system of --srs
      --table-only     load rows without geometry
  -o, --output FILE    the file (default: as the server names it); - is standard output
      --name FILE      what standard input is called where FILE of \`correct\` is -
      --accept RULES   limits of the task (stopIf) that let these rows through, such as changed,values
${access}

${ownServer}`,
  groups: `terrane groups [list]
terrane groups show NAME
terrane groups create NAME [--title TITLE] [--member USER ...]
terrane groups change NAME [--name NAME] [--title TITLE] [--member USER ...]   --member replaces the local members
terrane groups delete NAME            deletes its permissions too`,
  permissions: `terrane permissions [list] [RESOURCE]
terrane permissions create SUBJECT RESOURCE ACTIONS
terrane permissions import geoserver layers.properties [rest.properties] [--dry-run]
terrane permissions import geonode permissions.json [--workspace WORKSPACE] [--resource LAYER] [--dry-run]
terrane permissions delete ID

SUBJECT is user:NAME, group:NAME, authenticated or everyone. RESOURCE is "*", WORKSPACE or WORKSPACE:LAYER. ACTIONS are
of read, download, edit, import and manage, separated by commas.`,
  access: `terrane access explain RESOURCE [USER]   what a user may do, and which rule decides; default: yourself`,
  users: `terrane users [list]
terrane users show NAME
terrane users create NAME [--role ROLE] [--email ADDRESS]
terrane users change NAME [--role ROLE] [--email ADDRESS] [--password [--keep-tokens]]
                          [--enable | --disable]
terrane users delete NAME
terrane users tokens NAME
terrane users revoke NAME ID          ends one of their tokens
terrane users logout NAME             ends the logins of web pages
terrane users password                changes your own

      --role ROLE      user (default), staff or admin
      --password       gives the user a new password, ends logins and revokes API tokens
      --keep-tokens    with --password: API tokens stay valid
      --disable        the user cannot sign in; ends logins and revokes API tokens
${access}

A new password is TERRANE_NEW_PASSWORD, or is asked for. All but the last need the role admin.

${ownServer}`,
  tokens: `terrane tokens [list]
terrane tokens show ID
terrane tokens create NAME [--expires TIME]
terrane tokens delete ID

Tokens are of the user who asks, with that user's password. A script sends one as \`Authorization: Bearer\`, or has it
in TERRANE_TOKEN.

      --expires TIME   ISO 8601, such as 2027-01-31
${access}`,
  monitoring: `terrane monitoring [status]: tells which checks do not hold and when each service was read last
terrane monitoring load FILE: loads the JSON dump of a GeoNode monitoring database (gzip or not), once
terrane monitoring services [list]
terrane monitoring services add NAME --type T --host H
  --type T             app, mapserver, hostapp or hostmapserver
  --host H             name of a host that is there
  --log PATH           its numbers are in this access log, on the server
  --kind K             geoserver-monitor, node-exporter or geoserver-status, with
  --source ADDRESS     where the numbers are; --source-user NAME, password in TERRANE_SOURCE_PASSWORD
  --address ADDRESS    where people reach it
  --interval N         seconds between two collections (default: 60)
terrane monitoring services remove NAME: also removes what was collected of it
terrane monitoring hosts [list | add NAME ADDRESS | remove NAME]

${access}

${ownServer} The exit code of
status is 1 when a check does not hold or something could not be collected.`,
  usage: `terrane usage report: reports who used which layers in a month or another period

      --from DATE      first month or day, such as 2026-10 or 2026-10-05 (default: the last month)
      --to DATE        last month or day, which is included (default: the first one)
      --by WHAT        layer (default), workspace, owner, country, program, referrer, day or month
      --compare WITH   previous or year
      --zone ZONE      time zone of the days: that of TERRANE_ZONE, or UTC
  -f, --format F       table (default), json, csv, html, counter or inspire
      --language L     language of html: en (default) or de
  -o, --output FILE    where it goes (default: standard output)
      --url URL        a running server, such as http://localhost:8080
  -u, --user NAME      its user (default: admin); the password is TERRANE_PASSWORD, or is asked for

${ownServer}`,
  completion: `terrane completion bash|zsh|fish: prints a script that completes commands, actions and options

  bash    source <(terrane completion bash)
  zsh     source <(terrane completion zsh)
  fish    terrane completion fish | source`,
  audit: `terrane audit list: lists the last 100 entries of the audit log
terrane audit verify: checks its seals; the exit code is 1 if an entry or a seal was changed, is missing or was inserted

      --json           the same for programs
${access}`,
  jobs: `terrane jobs [list]: lists background jobs whose last attempt failed in the last 30 days

      --all            queued and running jobs too
      --limit N        most jobs (default: 100)
      --json           the same for programs

terrane jobs retry JOB: starts the work of a failed job again
${access}`,
  nodes: `terrane nodes: lists the servers that share the catalogue, with their last sign of life

      --json           the same for programs

terrane nodes adopt-files: makes the files in the data directory those of the catalogue, when those that it had are lost.
Stop all servers first. Layers whose files are not in the directory stay broken until they are imported again.`,
  backup: `terrane backup TARGET: backs up catalogue, files and key of one moment, while servers go on working

TARGET is a new folder, or a new file whose name ends in .tar, .tar.gz or .tgz. The settings are those of the server. A
PostgreSQL catalogue needs pg_dump of the same version as the database, or a newer one.

      --without-key    leaves out the key of stored passwords

Without --without-key, TERRANE_BACKUP_PASSPHRASE (or TERRANE_BACKUP_PASSPHRASE_FILE) encrypts the key. Files in import roots
and PostGIS stores in other databases are not in the backup. The exit code is 0 if the backup is complete.`,
  restore: `terrane restore SOURCE: restores a backup into an empty data directory and an empty database

SOURCE is what \`terrane backup\` wrote. All checksums are verified before anything is changed. TERRANE_DATA names the new
data directory, which may have another path; TERRANE_DATABASE_URL a new database if the catalogue was in PostgreSQL.
TERRANE_BACKUP_PASSPHRASE decrypts the key.

      --check          verifies the backup and restores nothing`,
  key: `terrane key rotate: encrypts all stored passwords with a new key
terrane key adopt: uses the catalogue with another key when the old one is lost

Stop all servers of the catalogue first. The key is in secret.key in the data directory (TERRANE_DATA), or in TERRANE_SECRET_KEY.

  rotate  writes a new secret.key. If TERRANE_SECRET_KEY has the key, the new one is in TERRANE_NEW_SECRET_KEY, or in the
          file named by TERRANE_NEW_SECRET_KEY_FILE: set TERRANE_SECRET_KEY to it before the next start.
  adopt   A server refuses to start when its key is not the one that the catalogue was encrypted with. Restore the right key
          where you can: from a backup, or from another server of the same catalogue. If it is lost, adopt makes the present
          key that of the catalogue; passwords of stores and receivers must be set again.`,
  config: `terrane config check|show

check lists every mistake of the environment and of terrane.toml; show lists the settings with their values, and whether each
comes from the environment, the file or is the default. Secrets are ***. The file is TERRANE_CONFIG, or terrane.toml in
the working directory.

      --file FILE      this file, in place of TERRANE_CONFIG
      --json           the same for programs

The exit code is 2 when a setting is wrong.`,
  doctor: `terrane doctor: tells what is installed, what each missing part costs, and which settings are wrong

      --json           the same for programs

The exit code is 1 when something is missing that Terrane cannot do without.`,
}

/** Returns the `--help` text of one command or of all. */
export function helpText(command?: string): string {
  return (command === undefined ? undefined : ownValue(details, command)) ?? overview
}
