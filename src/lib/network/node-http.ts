/**
 * What is used of `node:http`. An import of it reads every export, the client of WebSockets among them, whose code takes
 * longer to read than that of most commands.
 */
export const { Agent: HttpAgent, request: httpRequest, STATUS_CODES } = process.getBuiltinModule('node:http')
