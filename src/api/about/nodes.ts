import { Type } from 'typebox'
import { nodeRoles } from '../../core/config/node-role.ts'
import { clockText, isFarOff, type Nodes } from '../../core/nodes/nodes.ts'
import { endpoint, operation } from '../endpoint.ts'

const Node = Type.Object(
  {
    id: Type.String(),
    host: Type.String({ description: 'Name of its machine' }),
    pid: Type.Integer(),
    version: Type.String(),
    roles: Type.Array(Type.Union(nodeRoles.map((role) => Type.Literal(role))), {
      description: '`serve` answers requests, `work` runs jobs',
    }),
    schemaVersion: Type.Integer({ description: 'Version of the catalogue tables that the server requires' }),
    clockSkewSeconds: Type.Number({
      description: 'Clock of the server minus that of the database, in seconds',
    }),
    problems: Type.Array(Type.String(), { description: 'Problems of the server, such as a wrong clock' }),
    started: Type.String({ format: 'date-time' }),
    seen: Type.String({ format: 'date-time', description: 'Last heartbeat, by the clock of the database' }),
    alive: Type.Boolean({ description: 'False if the server has sent no heartbeat for 15 seconds' }),
    current: Type.Boolean({ description: 'True for the server that responds' }),
  },
  { title: 'Node' },
)

const listServerNodes = operation({
  summary: 'List the servers of the catalogue',
  description:
    'Lists the servers that share the catalogue, the oldest first. A server that was stopped is not listed; one that died is listed for a day, with `alive` false. An embedded catalogue has one server.',
  tags: ['server'],
  answers: { 200: Type.Object({ nodes: Type.Array(Node) }) },
  handle: async (nodes: Nodes) => ({
    nodes: (await nodes.list()).map(({ startedAt, seenAt, isAlive, clockSkewMs, ...node }) => ({
      ...node,
      clockSkewSeconds: clockSkewMs / 1000,
      problems: isFarOff(clockSkewMs) ? [clockText(clockSkewMs)] : [],
      started: startedAt,
      seen: seenAt,
      alive: isAlive,
      current: node.id === nodes.id,
    })),
  }),
})

export const nodeEndpoints = [endpoint('GET', '/rest/nodes', 'admin', 'view', { listServerNodes })]
