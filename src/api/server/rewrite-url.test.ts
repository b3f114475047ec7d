import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rewriteUrl } from './rewrite-url.ts'

describe('rewriteUrl', () => {
  const cases: [string, string, string, string, string][] = [
    ['takes the base path off', 'GET', '/geo/rest/imports', '/geo', '/rest/imports'],
    ['leads nowhere outside the base path', 'GET', '/rest/imports', '/geo', '/-'],
    ['does not take a longer name for the base path', 'GET', '/geography/rest', '/geo', '/-'],
    ['keeps the query', 'GET', '/rest/imports/?async=true&x=/', '', '/rest/imports?async=true&x=/'],
    ['drops slashes at the end', 'GET', '/monitoring/api/metrics/', '', '/monitoring/api/metrics'],
    ['keeps the root', 'GET', '/', '', '/'],
    ['gives the root for the bare base path', 'GET', '/geo', '/geo', '/'],
    ['drops .json under /rest', 'GET', '/rest/workspaces.json?x=1', '', '/rest/workspaces?x=1'],
    ['drops .xml of documents', 'GET', '/rest/layers/city:roads.xml?x=1', '', '/rest/layers/city:roads?x=1'],
    ['drops .xml of a list', 'GET', '/rest/workspaces.xml', '', '/rest/workspaces'],
    ['drops .xml below /gwc/rest', 'GET', '/gwc/rest/layers/a:b.xml', '', '/gwc/rest/layers/a:b'],
    ['keeps .xml of imports', 'GET', '/rest/imports.xml', '', '/rest/imports.xml'],
    [
      'keeps the file of a store',
      'PUT',
      '/rest/workspaces/a/datastores/b/file.shp',
      '',
      '/rest/workspaces/a/datastores/b/file.shp',
    ],
    ['keeps .json elsewhere', 'GET', '/openapi.json', '', '/openapi.json'],
    ['makes task plural', 'GET', '/rest/imports/3/task/0/layer', '', '/rest/imports/3/tasks/0/layer'],
    [
      'keeps a file name in an upload',
      'PUT',
      '/rest/imports/3/tasks/a.json',
      '',
      '/rest/imports/3/tasks/a.json',
    ],
    [
      'keeps a file name in data files',
      'GET',
      '/rest/imports/3/task/0/data/files/a.json',
      '',
      '/rest/imports/3/tasks/0/data/files/a.json',
    ],
    [
      'drops .json of a task that is read',
      'GET',
      '/rest/imports/3/tasks/0.json',
      '',
      '/rest/imports/3/tasks/0',
    ],
    ['keeps case', 'GET', '/rest/layers/Ws:Roads', '', '/rest/layers/Ws:Roads'],
  ]
  for (const [behaviour, method, url, basePath, expected] of cases) {
    it(behaviour, () => assert.equal(rewriteUrl(method, url, basePath), expected))
  }
})
