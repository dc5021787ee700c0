// A separate process that folds a log in a thread, and reports its progress and failures.
import { foldInWorker } from '../../infrastructure/read-models/follow-log.ts'

const [DATA_DIR = '', readModels = ''] = process.argv.slice(2)
const tell = (text: string): void => void process.stdout.write(`${text}\n`)

const folding = foldInWorker(
  { EVENT_STORE: 'sqlite', DATA_DIR },
  readModels,
)({
  onMoved: (position) => tell(`at ${position}`),
  onFailure: (error) => tell(String(error)),
})
process.stdin.on('end', () => void folding.stop()).resume()
