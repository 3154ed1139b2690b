# A server for a class: docker build -t littlego . && docker run -p 8025:8025 -v littlego:/data littlego
# The owner's token is in the volume: docker exec CONTAINER cat /data/token
FROM python:3.13-slim AS built
WORKDIR /source
COPY pyproject.toml requirements.lock DESCRIPTION.md LICENSE ./
RUN python -m venv /opt/littlego && /opt/littlego/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY src src
RUN /opt/littlego/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim
# Compilers for agents in C++ and Java.
RUN apt-get update && apt-get install -y --no-install-recommends default-jdk-headless g++ \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 --shell /usr/sbin/nologin littlego \
    && install -d -o littlego -g littlego -m 700 /data
COPY --from=built /opt/littlego /opt/littlego
ENV PATH=/opt/littlego/bin:$PATH PYTHONUTF8=1
USER littlego
WORKDIR /home/littlego
RUN littlego play champion random --seed 1
VOLUME /data
EXPOSE 8025
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8025/api/about', timeout=8)"]
STOPSIGNAL SIGINT
CMD ["littlego", "web", "--host", "0.0.0.0", "--data", "/data"]
