# docker build -t eqlearn .
# docker run --rm -v "$PWD:/data" eqlearn fit data.csv --target y
FROM python:3.11-slim AS build
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE ./
COPY src src
# The lock holds more than is needed here; what the wheel asks for is taken from it.
RUN pip install --no-cache-dir hatchling build \
 && python -m build --wheel --no-isolation --outdir /wheels \
 && sed -e 's/ *\\$//' -e '/--hash/d' requirements.lock > /wheels/constraints.txt

FROM python:3.11-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --constraint /wheels/constraints.txt /wheels/*.whl pyarrow \
 && rm -r /wheels \
 && useradd --create-home eqlearn
USER eqlearn
# Compiled code is kept in the home directory; the demo compiles all of it once.
RUN cd /tmp && eqlearn demo > /dev/null && rm -r eqlearn-demo
WORKDIR /data
ENTRYPOINT ["eqlearn"]
CMD ["--help"]
