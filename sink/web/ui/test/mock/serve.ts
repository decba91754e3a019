// npm run mock [-- --keys 1000 --rate 50 --port 8080]: the mock server with the
// built page, until interrupted.
import { parseArgs } from 'node:util'
import { Mock } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { keys: { type: 'string', default: '1000' }, rate: { type: 'string', default: '50' }, port: { type: 'string', default: '8080' } },
})
const mock = await Mock.listen({ keys: Number(values.keys), rate: Number(values.rate), dist: new URL('../../../dist', import.meta.url).pathname }, Number(values.port))
console.log(mock.url)
