import fc from 'fast-check'

/** `PROPERTY_SEED=n` draws the same examples again: `.ci/run` takes it from its commit. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['PROPERTY_SEED']) })
