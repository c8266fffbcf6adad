import logging

logging.getLogger("turnstile_localstack").addHandler(logging.NullHandler())
