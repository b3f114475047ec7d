/**
 * Members of `node:http` that are used. An import of the module would evaluate all its exports, the WebSocket
 * client among them, which takes longer than most commands.
 */
export const { Agent: HttpAgent, request: httpRequest, STATUS_CODES } = process.getBuiltinModule('node:http')
