import type { Readable } from 'node:stream'
import fastifyMultipart from '@fastify/multipart'
import { Failure, invalid } from '../../../core/errors/errors.ts'
import type { ApiArea, App, FastifyRequest } from '../../app-types.ts'
import { addEndpoints, endpoint } from '../../endpoint.ts'
import { ImportBody } from './bodies.ts'
import { listChanges, listDryRunChanges, showDryRunTile } from './changes.ts'
import { createDatabaseImport, createImport, createImportWithId } from './create-import.ts'
import { findCrsByWords } from './crs-search.ts'
import { listDatabaseTables } from './database-tables.ts'
import { dropDryRun, dryRunImport, showDryRun } from './dry-run.ts'
import {
  changeImportFile,
  changeTaskFile,
  deleteImportFile,
  deleteTaskFile,
  listImportFiles,
  listTaskFiles,
  showImportFile,
  showTaskFile,
} from './files.ts'
import { listFolder } from './folders.ts'
import { showHistory } from './history.ts'
import { guardImports } from './import-rights.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { OpenStreams } from './importer-api-deps.ts'
import {
  cancelImport,
  deleteAllImports,
  deleteImport,
  listImports,
  runImport,
  showImport,
  showImportData,
} from './imports.ts'
import { showColumns, showPreviewFeatures, showPreviewTile, showRows } from './preview.ts'
import { listProposals } from './proposals.ts'
import { listRejects, sendRejects } from './rejects.ts'
import { listSrsCandidates } from './srs-candidates.ts'
import { changeTaskLayer, showTaskLayer, showTaskStyle } from './task-layers.ts'
import { changeTaskTarget, showTaskTarget } from './task-targets.ts'
import {
  acceptStopped,
  cancelTask,
  changeTask,
  deleteTask,
  listTasks,
  showTask,
  showTaskData,
  showTaskProgress,
} from './tasks.ts'
import { listTransformTypes } from './transform-types.ts'
import {
  changeTransform,
  createTransform,
  deleteTransform,
  listTransforms,
  showTransform,
} from './transforms.ts'
import { uploadFile, uploadFiles } from './uploads.ts'
import { watchImport } from './watch.ts'

const older = { dialect: 'geoserver' } as const

/** Possible sources of an import, and available transformations. */
const choiceEndpoints = [
  endpoint('POST', '/rest/database-tables', 'admin', 'view', { listDatabaseTables }),
  endpoint('GET', '/rest/import-folders', 'some:import', 'view', { listFolder }),
  endpoint('GET', '/rest/crs', 'some:import', 'view', { findCrsByWords }),
  endpoint('GET', '/rest/transforms', 'some:import', 'view', { listTransformTypes }),
]

/** `/rest/imports`, and `/rest/database-imports` beside it. Only digits are a task id in a PUT. */
const importEndpoints = [
  endpoint('POST', '/rest/database-imports', 'admin', 'create', { createDatabaseImport }),
  endpoint('GET', '/rest/import-history', 'staff', 'view', { showHistory }),
  endpoint('GET', '/rest/imports', 'some:import', 'view', { listImports }),
  endpoint('POST', '/rest/imports', 'some:import', 'create', { createImport }),
  endpoint('DELETE', '/rest/imports', 'some:import', 'remove', { deleteAllImports }, older),
  endpoint('GET', '/rest/imports/:importId', 'some:import', 'view', { showImport }),
  endpoint('POST', '/rest/imports/:importId', 'some:import', 'publish', { runImport }),
  endpoint('PUT', '/rest/imports/:importId', 'some:import', 'create', { createImportWithId }),
  endpoint('DELETE', '/rest/imports/:importId', 'some:import', 'remove', { deleteImport }),
  endpoint('DELETE', '/rest/imports/:importId/run', 'some:import', 'change', { cancelImport }),
  endpoint('POST', '/rest/imports/:importId/dry-run', 'some:import', 'view', { dryRunImport }),
  endpoint('GET', '/rest/imports/:importId/dry-run', 'some:import', 'view', { showDryRun }),
  endpoint('DELETE', '/rest/imports/:importId/dry-run', 'some:import', 'remove', { dropDryRun }),
  endpoint('GET', '/rest/imports/:importId/dry-run/tasks/:taskId/changes', 'some:import', 'download', {
    listDryRunChanges: listDryRunChanges,
  }),
  endpoint('GET', '/rest/imports/:importId/dry-run/tasks/:taskId/:z/:x/:y.mvt', 'some:import', 'view', {
    showDryRunTile: showDryRunTile,
  }),
  endpoint('GET', '/rest/imports/:importId/events', 'some:import', 'view', { watchImport }),
  endpoint('GET', '/rest/imports/:importId/data', 'some:import', 'view', { showImportData }),
  endpoint('GET', '/rest/imports/:importId/data/files', 'some:import', 'view', { listImportFiles }),
  endpoint('GET', '/rest/imports/:importId/data/files/:fileId', 'some:import', 'view', { showImportFile }),
  endpoint('PUT', '/rest/imports/:importId/data/files/:fileId', 'some:import', 'change', {
    changeImportFile,
  }),
  endpoint('DELETE', '/rest/imports/:importId/data/files/:fileId', 'some:import', 'remove', {
    deleteImportFile,
  }),
]

const taskEndpoints = [
  endpoint('GET', '/rest/imports/:importId/tasks', 'some:import', 'view', { listTasks }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId', 'some:import', 'view', { showTask }),
  endpoint('PUT', '/rest/imports/:importId/tasks/:taskId(^\\d+$)', 'some:import', 'change', { changeTask }),
  endpoint('DELETE', '/rest/imports/:importId/tasks/:taskId', 'some:import', 'remove', { deleteTask }),
  endpoint('DELETE', '/rest/imports/:importId/tasks/:taskId/run', 'some:import', 'change', { cancelTask }),
  endpoint('POST', '/rest/imports/:importId/tasks/:taskId/accept', 'some:import', 'publish', {
    acceptStopped,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/progress', 'some:import', 'view', {
    showTaskProgress,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/rejects', 'some:import', 'download', {
    listRejects,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/changes', 'some:import', 'download', {
    listChanges,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/data', 'some:import', 'view', { showTaskData }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/data/files', 'some:import', 'view', {
    listTaskFiles,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/data/files/:fileId', 'some:import', 'view', {
    showTaskFile,
  }),
  endpoint('PUT', '/rest/imports/:importId/tasks/:taskId/data/files/:fileId', 'some:import', 'change', {
    changeTaskFile,
  }),
  endpoint('DELETE', '/rest/imports/:importId/tasks/:taskId/data/files/:fileId', 'some:import', 'remove', {
    deleteTaskFile,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/layer', 'some:import', 'view_metadata', {
    showTaskLayer,
  }),
  endpoint('PUT', '/rest/imports/:importId/tasks/:taskId/layer', 'some:import', 'change_metadata', {
    changeTaskLayer,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/layer/style', 'some:import', 'view_metadata', {
    showTaskStyle,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/target', 'some:import', 'view', { showTaskTarget }),
  endpoint('PUT', '/rest/imports/:importId/tasks/:taskId/target', 'some:import', 'change', {
    changeTaskTarget,
  }),
]

const lookEndpoints = [
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/srs-candidates', 'some:import', 'view', {
    listSrsCandidates,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/proposals', 'some:import', 'view', {
    listProposals,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/rows', 'some:import', 'view', { showRows }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/columns', 'some:import', 'view', { showColumns }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/preview/:z/:x/:y.mvt', 'some:import', 'view', {
    showPreviewTile,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/preview.geojson', 'some:import', 'view', {
    showPreviewFeatures,
  }),
]

const transformEndpoints = [
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/transforms', 'some:import', 'view', {
    listTransforms,
  }),
  endpoint('POST', '/rest/imports/:importId/tasks/:taskId/transforms', 'some:import', 'create', {
    createTransform,
  }),
  endpoint('GET', '/rest/imports/:importId/tasks/:taskId/transforms/:transformId', 'some:import', 'view', {
    showTransform,
  }),
  endpoint('PUT', '/rest/imports/:importId/tasks/:taskId/transforms/:transformId', 'some:import', 'change', {
    changeTransform,
  }),
  endpoint(
    'DELETE',
    '/rest/imports/:importId/tasks/:taskId/transforms/:transformId',
    'some:import',
    'remove',
    { deleteTransform },
  ),
]

/** Endpoints with JSON bodies. */
const jsonEndpoints = [
  ...choiceEndpoints,
  ...importEndpoints,
  ...taskEndpoints,
  ...lookEndpoints,
  ...transformEndpoints,
]

/** Endpoints with form bodies. */
const formEndpoints = [
  endpoint('POST', '/rest/imports/:importId/tasks', 'some:import', 'upload', { uploadFiles }),
]

/** Endpoints whose body is a file. */
const fileEndpoints = [
  endpoint('PUT', '/rest/imports/:importId/tasks/:fileName', 'some:import', 'upload', { uploadFile }),
]

/** Endpoints that accept a form with files, or a single file. */
const formOrFileEndpoints = [
  endpoint('POST', '/rest/imports/:importId/tasks/:taskId/rejects', 'some:import', 'publish', {
    sendRejects,
  }),
]

/** Every endpoint of the importer. */
export const importerEndpoints = [
  ...jsonEndpoints,
  ...formEndpoints,
  ...fileEndpoints,
  ...formOrFileEndpoints,
]

const maxFormBytes = 64 * 1024

/** `/rest/imports`, everything below it, and `/rest/database-imports`, as areas by body type. */
export function importerAreas(given: Omit<ImporterApiDeps, 'streams'>): ApiArea[] {
  const parts = { ...given, streams: new OpenStreams() }
  return [jsonArea(parts), formArea(parts), fileArea(parts), formOrFileArea(parts)]
}

function jsonArea(deps: ImporterApiDeps): ApiArea {
  return (app) => {
    guardImports(app, deps.importer.kept)
    app.addHook('preValidation', async (request) => {
      const isCreation = request.routeOptions.schema?.body === ImportBody
      if (isCreation && request.body === undefined) request.body = {}
    })
    app.addHook('preClose', async () => deps.streams.endAll())
    holdFiles(app, deps)
    addEndpoints(app, jsonEndpoints, deps)
  }
}

/** Paths of requests that read files of an import. */
const readsFiles =
  /\/tasks\/:taskId\/(?:layer\/style|changes|rejects|rows|columns|proposals|srs-candidates|preview[/.].*|:z\/.*)$/

/** Gives requests that read files of an import local copies of them until their response has been sent. */
function holdFiles(app: App, { importer }: Pick<ImporterApiDeps, 'importer'>): void {
  if (importer.files.isLocal) return
  app.addHook('preHandler', async (request, reply) => {
    const { importId = '' } = request.params as { importId?: string }
    if (!readsFiles.test(request.routeOptions.url ?? '') || !/^\d{1,10}$/.test(importId)) return
    const release = await importer.files.holdForReading(Number(importId))
    reply.raw.once('close', release)
  })
}

function formArea(deps: ImporterApiDeps): ApiArea {
  return async (app) => {
    guardImports(app, deps.importer.kept)
    app.removeAllContentTypeParsers()
    await app.register(fastifyMultipart)
    app.addContentTypeParser('application/x-www-form-urlencoded', readForm)
    app.addContentTypeParser('application/json', readJson)
    addEndpoints(app, formEndpoints, deps)
  }
}

function fileArea(deps: ImporterApiDeps): ApiArea {
  return (app) => {
    guardImports(app, deps.importer.kept)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
    addEndpoints(app, fileEndpoints, deps)
  }
}

function formOrFileArea(deps: ImporterApiDeps): ApiArea {
  return async (app) => {
    guardImports(app, deps.importer.kept)
    app.removeAllContentTypeParsers()
    await app.register(fastifyMultipart)
    app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
    addEndpoints(app, formOrFileEndpoints, deps)
  }
}

const maxJsonBytes = 5 * 2 ** 20

/** A list of uploads. */
async function readJson(request: FastifyRequest, body: Readable): Promise<unknown> {
  const text = await readText(request, body, maxJsonBytes)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid('malformed-json', 'The body is not JSON', { cause })
  }
}

function readForm(request: FastifyRequest, body: Readable): Promise<string> {
  return readText(request, body, maxFormBytes)
}

/** Reads the text of a form without files; discards one that is too long as it arrives. */
function readText(_request: FastifyRequest, body: Readable, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else reject(new Failure('tooLarge', 'body-too-large', `A form has at most ${maxBytes} bytes`))
    })
    body.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    body.once('error', reject)
  })
}
